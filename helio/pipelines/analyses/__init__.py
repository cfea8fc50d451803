"""What follows from a template by rules over its graph: meaning, origins, known labels, outputs."""
