"""What the field knows: units, and later missions, datasets and citations."""
