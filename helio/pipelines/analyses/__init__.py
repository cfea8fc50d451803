"""Find facts about a template from the graph of its steps: origins of numbers, outputs, labels, repeated work."""
