"""Sources of data: one file for each provider, which turns downloaded or local bytes into tables."""
