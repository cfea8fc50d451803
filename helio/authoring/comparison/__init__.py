"""Compare what a sentence names with the template that came of it."""
