"""Commands for developers of helio: write the files of a new tool, pass or data source."""
