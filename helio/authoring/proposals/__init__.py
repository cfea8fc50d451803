"""Keep proposals until a person decides: review them, draw their figures, merge them."""
