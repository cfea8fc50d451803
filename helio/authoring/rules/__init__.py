"""The author without a model: rules read plain requests with the catalogue and the table of quantities."""
