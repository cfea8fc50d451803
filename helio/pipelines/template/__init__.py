"""The template and what is read from it: steps, labels, variables, the graph, the text; and how edits change it."""
