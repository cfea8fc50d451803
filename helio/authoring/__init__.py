"""Authoring: a model proposes a template or a change of one; code proves it, a person says yes, nothing runs here."""
