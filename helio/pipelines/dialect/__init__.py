"""Passes that read templates of people and language models in many spellings, and write the standard spelling."""
