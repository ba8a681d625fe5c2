"""Scores of subsets: objectives, samples to evaluate on, estimators of scikit-learn."""
