"""Sources of data: one file for each provider, which turns bytes from outside into tables."""
