"""Changes of a template that a sentence asks for."""
