"""The author that needs no model: plain requests read by rules, through the catalogue and the table of quantities."""
