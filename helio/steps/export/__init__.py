"""The writers of tables: one module for each file format."""
