"""Units, missions, datasets and their parameters, physical quantities, and a search for datasets."""
