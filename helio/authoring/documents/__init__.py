"""Read the files that come with a request: lists of events, PDFs, pictures, texts and tables."""
