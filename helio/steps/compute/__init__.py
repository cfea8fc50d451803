"""The tools that compute: each takes tables and returns one table."""
