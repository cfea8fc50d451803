"""Pipelines: templates, their diagnostics, plans and runs."""
