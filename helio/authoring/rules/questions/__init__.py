"""Answers to questions, from the template, the catalogue and the reference."""
