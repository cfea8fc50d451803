"""What a request for a new pipeline says: a sentence becomes a `PipelineRequest`."""
