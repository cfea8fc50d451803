"""The forgiving reader: what an author wrote, in any spelling, becomes a template whose fields have known types."""
