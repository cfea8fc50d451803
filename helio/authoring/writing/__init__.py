"""Write templates from requests that were made with command-line options or in sentences."""
