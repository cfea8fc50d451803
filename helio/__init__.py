"""helio: deterministic pipelines for heliophysics."""

__version__ = "0.1.0"
