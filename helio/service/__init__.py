"""Keep many intervals of a pipeline complete, without a hand."""
