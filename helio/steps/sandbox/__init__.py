"""Code in templates: check it against an allow-list, run it in a process without rights, check its result."""
