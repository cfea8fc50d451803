"""Computing: tables in, a table out."""
