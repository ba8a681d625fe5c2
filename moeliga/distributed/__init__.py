"""Evaluation and searches by workers elsewhere."""
