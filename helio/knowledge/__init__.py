"""What the field knows: units, missions, datasets with their parameters, quantities; and finding them by words."""
