"""Authoring: rules or a language model propose a template, helio verifies it, a person accepts it; no template runs."""
