"""The gallery: web pages of the figures of all pipelines, served on this machine or written as files."""
