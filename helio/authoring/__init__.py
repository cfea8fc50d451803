"""Authoring: rules or a model propose a template, helio verifies it, and a person accepts it. Nothing runs here."""
