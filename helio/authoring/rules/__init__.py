"""Write and edit templates without a language model: rules read simple requests, and tables give the datasets."""
