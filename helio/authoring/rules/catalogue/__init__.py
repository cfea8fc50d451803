"""Data that only the catalogue describes."""
