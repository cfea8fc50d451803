"""Write and edit templates without a model: rules read simple requests, and look up datasets in tables."""
