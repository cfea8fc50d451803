"""Computations that a request names."""
