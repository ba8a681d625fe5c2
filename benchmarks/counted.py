"""scikit-learn's trees, counted: how many a search has grown, in this process."""

from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier


class CountedTree(DecisionTreeClassifier):
    """scikit-learn's tree; counts how often it and its clones are fitted, in this process."""

    grown = 0

    def fit(self, X, y, sample_weight=None, check_input=True):
        CountedTree.grown += 1
        return super().fit(X, y, sample_weight=sample_weight, check_input=check_input)


class CountedForest(RandomForestClassifier):
    """scikit-learn's forest; adds its trees to those of `CountedTree`."""

    def fit(self, X, y, sample_weight=None):
        CountedTree.grown += self.n_estimators
        return super().fit(X, y, sample_weight=sample_weight)
