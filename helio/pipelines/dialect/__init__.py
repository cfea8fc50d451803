"""Passes that turn what an author wrote, in any spelling, into a template whose fields have known types."""
