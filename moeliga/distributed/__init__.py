"""Evaluation and searches by remote workers."""
