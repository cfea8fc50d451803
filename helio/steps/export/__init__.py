"""The functions that write tables to files: one module for each file format."""
