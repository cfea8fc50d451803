"""Tables, their digests, and the files that keep them."""
