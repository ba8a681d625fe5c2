"""Honest scores: searches on folds, answers of the deployed model for samples outside, and the bias of choosing."""
