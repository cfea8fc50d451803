"""The tool that fetches data: no other step reads data from outside."""
