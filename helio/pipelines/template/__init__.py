"""The template: its steps, labels, variables, graph and text, and how edits change it."""
