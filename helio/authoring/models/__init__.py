"""Questions to language models, and the providers that answer them."""
