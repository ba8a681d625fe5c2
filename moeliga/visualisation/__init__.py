"""Displays, pictures and the report."""
