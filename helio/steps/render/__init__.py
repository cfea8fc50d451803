"""The tool that draws: it takes tables and a figure's spec, and returns a figure."""
