"""Tables, the digests of their content, and the files in which helio keeps them."""
