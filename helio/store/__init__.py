"""Tables and what keeps them: content, digests, files on disk."""
