"""The result of a search, and how it is written to tables, files and text."""
