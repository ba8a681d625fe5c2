"""The data of a search, coded once and read-only."""
