"""Pipelines: their templates, plans and runs, and the messages about errors in templates."""
