"""The template: its steps, labels, variables, graph and text, and edits that change a template."""
