"""Checks, threads, limits, random streams and types for all other folders."""
