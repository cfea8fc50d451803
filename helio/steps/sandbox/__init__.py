"""Run code from templates: check it against a list of allowed names, run it without rights, and check its result."""
