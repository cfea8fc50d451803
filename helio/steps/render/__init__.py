"""Drawing: tables and a spec in, a figure out."""
