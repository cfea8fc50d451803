"""What a step does: one file per tool."""
