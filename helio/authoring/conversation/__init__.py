"""Hold conversations about pipelines, and save them."""
