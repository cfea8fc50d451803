"""Fetching: the only kind of step that reads data from outside."""
