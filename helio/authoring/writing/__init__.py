"""Write templates from requests: one writer for options, sentences and every other source of requests."""
