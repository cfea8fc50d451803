"""Fetching: the one kind of step that reads from outside."""
