"""The mechanisms that a user sets, as value objects."""
