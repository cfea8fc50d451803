"""Knowledge about units, missions, datasets, parameters and physical quantities, and a search for datasets."""
