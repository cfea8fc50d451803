"""Code written in a template: an allow-list reads it, a process without rights runs it, its result is checked."""
