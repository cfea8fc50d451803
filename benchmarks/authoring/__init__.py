"""Tasks for authors of templates, each with a check in code of what was meant."""
