"""The template: its steps, labels, variables, graph and text, and the edits that change it."""
