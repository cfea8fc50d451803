"""Scripts that measure helio; each says in its first lines how to run it."""
