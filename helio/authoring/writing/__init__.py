"""From a request to a template: one writer for flags, sentences and whatever else fills a `PipelineRequest`."""
