"""Rules over the graph of a template: meaning, origins, known labels, outputs."""
