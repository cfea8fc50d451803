"""What developers of helio use: files for a new tool, pass or source."""
