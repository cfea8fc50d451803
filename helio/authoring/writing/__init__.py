"""Write templates from requests, whether they come from command-line options or from sentences."""
