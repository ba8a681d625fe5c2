"""Metadata and groups of every type: a clear refusal that names them, or what a plain loop says of each row."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from same_search import assert_same
from scipy import sparse
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut, StratifiedGroupKFold
from sklearn.naive_bayes import GaussianNB

pytest.importorskip("hypothesis", reason="needs hypothesis")

from hypothesis import given
from hypothesis import strategies as st

from call_outcome import outcome
from forms import FORMS, Broken, N, Shaped, X, Y, honest_one, pandas, polars, small, twin
from state import image
from strategies import LAYOUTS, SEEDS, WILD, cases

ROUTES = st.booleans()


@st.composite
def weights(draw):
    """Weights of the samples: the argument, and the float64 that it stands for."""
    rng = np.random.default_rng(draw(SEEDS))
    meaning = rng.integers(1, 9, N).astype(draw(st.sampled_from(("f8", "f4", "i4", "u8", ">f8", "i1", "f2"))))
    return FORMS[draw(st.sampled_from(tuple(FORMS)))](meaning), meaning.astype(np.float64)


@given(weights(), st.booleans(), st.booleans(), st.booleans())
@cases(20)
def test_weights_of_any_form_go_with_their_rows(weight, route, for_fit, for_score):
    """To the fit and to the score as they are requested; without routing to the fit alone."""
    value, meaning = weight
    model, before = GaussianNB(), image(value)
    scoring = make_scorer(balanced_accuracy_score)
    with sklearn.config_context(enable_metadata_routing=route):
        if route and not (for_fit or for_score):
            return
        if route:
            model.set_fit_request(sample_weight=for_fit)
            scoring.set_score_request(sample_weight=for_score)
        fitted, refusal = outcome(lambda: small(model, cv=3, scoring=scoring).fit(X, Y, sample_weight=value),
                                  "sample_weight")
    assert refusal is None, refusal
    assert image(value) == before
    splits = list(sklearn.model_selection.StratifiedKFold(3).split(X, Y))
    for mask, score in zip(fitted.pareto_front_.supports, fitted.pareto_front_.score, strict=True):
        wanted = twin(mask, splits, meaning if for_fit or not route else None,
                      meaning if for_score and route else None)
        assert_allclose(score, wanted, rtol=1e-12)


ODD = st.one_of(WILD, st.sampled_from((
    set(range(N)), frozenset(range(N)), {i: i for i in range(N)}, {i: i for i in range(N)}.values(), iter(range(N)),
    list, dict, np.ndarray, Broken(N), Broken(3), Broken(None), Shaped(None), Shaped(N), Shaped(()), Shaped((N,)),
    [[1], [1, 2]] * (N // 2), N * "a", N * b"a", bytearray(N), range(N), np.zeros((N, 2)), np.zeros((N, 2, 2)),
    np.zeros((2, N)), np.zeros((N, 0)), sparse.csr_array((N, 2)), sparse.coo_array((N, 2)), sparse.csr_array((2, N)),
    N * [None], N * [np.nan], N * ["a"], N * [{}], N * [1j], [10**400] * N, [1] * (N - 1), [1] * (N + 1), np.array(3),
    np.ma.masked_array(np.ones(N), np.arange(N) == 3), np.zeros(N, dtype="M8[D]"), np.zeros(N, dtype=[("a", "i4")]),
    memoryview(bytes(N)))))


@given(st.sampled_from(("sample_weight", "tone", "groups")), ODD, ROUTES, st.sampled_from((None, None, None, 2)))
@cases(20)
def test_metadata_of_any_type_are_refused_by_name_or_passed(name, value, route, honest):
    """What has an entry for each sample reaches each fit with the entries of its rows, anything else as it is."""

    class Told(GaussianNB):
        def fit(self, X, y, sample_weight=None, tone=None):
            heard.append((X, sample_weight if name == "sample_weight" else tone))
            return super().fit(X, y)

    heard, numbered = [], np.column_stack([np.arange(float(N)), X])
    model = Told()
    with sklearn.config_context(enable_metadata_routing=route):
        if route:
            model.set_fit_request(sample_weight=True, tone=True)
        make = (lambda *given, **more: honest_one(honest, estimator=model, **more)) if honest else small
        options = {} if honest else {"cv": GroupKFold(2) if name == "groups" else 2}
        if route:
            options["scoring"] = make_scorer(balanced_accuracy_score).set_score_request(sample_weight=False)
        fitted, refusal = outcome(lambda: make(model, constraints__must_include=[0], **options).fit(
            numbered, Y, **{name: value}), name)
    if refusal is not None or value is None or name == "groups":
        return
    assert heard
    for part, told in heard:
        rows = part[:, 0].astype(int)
        try:
            wanted = [value[row] for row in rows.tolist()] if len(value) == N else None
        except (KeyError, TypeError, IndexError, NotImplementedError):
            wanted = None
        if wanted is None or isinstance(value, dict | str | bytes):
            assert image(told) == image(value)
        else:
            assert len(told) == len(wanted) if not hasattr(told, "shape") else told.shape[0] == len(wanted)
            if not sparse.issparse(value):
                assert str([*told]) == str(wanted)


# groups


GROUPS = {  # of codes 0, 1, ..., labels that ascend with them
    "integers": lambda codes: codes - 2,
    "unsigned": lambda codes: codes.astype(np.uint64) + np.uint64(2**63),
    "floats": lambda codes: codes / 8,
    "booleans": lambda codes: codes > 1,
    "text": lambda codes: np.array([f"patient {code}" for code in codes]),
    "text as objects": lambda codes: np.array([f"patient {code}" for code in codes], dtype=object),
    "text of any length": lambda codes: np.array([f"patient {code}" for code in codes], dtype=np.dtypes.StringDType()),
    "bytes": lambda codes: np.array([b"patient %d" % code for code in codes]),
    "dates": lambda codes: np.datetime64("2020-02-28") + codes,
    "other byte order": lambda codes: codes.astype(">i4"),
    "huge": lambda codes: np.array([10**30 + int(code) for code in codes], dtype=object),
    "list": lambda codes: codes.tolist(),
    "tuples of text": lambda codes: tuple("abcdef"[code] for code in codes),
    "nullable": lambda codes: pandas(codes, "Int64"),
    "categories": lambda codes: pandas([f"patient {code}" for code in codes], "category"),
    "strings": lambda codes: pandas([f"patient {code}" for code in codes], "string"),
    "polars": lambda codes: polars(codes),
    "read-only": lambda codes: LAYOUTS["read-only"](codes),
    "strided": lambda codes: LAYOUTS["strided"](codes),
}
SPLITTERS = (GroupKFold(2), StratifiedGroupKFold(2), LeaveOneGroupOut(), 2)
BAD_GROUPS = {"nan": np.nan, "None": None, "text among numbers": "a", "a dict": {}, "NaT": np.datetime64("NaT"),
              "a complex": 1j, "a list": [1, 2]}


@given(st.sampled_from(tuple(GROUPS)), st.sampled_from(SPLITTERS), SEEDS, st.booleans(), ROUTES)
@cases(20)
def test_groups_of_any_type_are_their_codes(name, splitter, seed, honest, route):
    """The same search as with integers in their place, by folds and by fixed splits; no group is on both sides."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(N) % 6)
    value = GROUPS[name](codes)
    plain = (codes > 1).astype(int) if name == "booleans" else codes
    before = image(value)

    def fit(groups):
        with sklearn.config_context(enable_metadata_routing=route):
            if honest:
                return honest_one(splitter).fit(X, Y, groups=groups)
            return small(GaussianNB(), cv=splitter).fit(X, Y, groups=groups)

    if not honest and splitter == 2:
        return
    found, refusal = outcome(lambda: fit(value), "groups")
    assert refusal is None, refusal
    assert image(value) == before
    assert_same(found, fit(plain))
    if honest and found._answers is not None:
        answers = found._answers
        for group in np.unique(plain):
            assert len(set(answers.fold[plain[answers.rows] == group].tolist())) == 1
        assert_array_equal(answers.units, plain[answers.rows])


@given(st.sampled_from(tuple(GROUPS)), st.sampled_from(tuple(BAD_GROUPS)), st.sampled_from(SPLITTERS), SEEDS,
       st.booleans(), ROUTES)
@cases(20)
def test_groups_with_a_label_that_is_none_are_refused(name, bad, splitter, seed, honest, route):
    """Missing, or of a type that is not sorted among the others."""
    codes = np.random.default_rng(seed).permutation(np.arange(N) % 6)
    labels = list(GROUPS[name](codes))
    labels[seed % N] = BAD_GROUPS[bad]
    array = np.empty(N, dtype=object)
    array[:] = labels
    if not honest and splitter == 2:
        return
    with sklearn.config_context(enable_metadata_routing=route):
        selector = honest_one(splitter) if honest else small(GaussianNB(), cv=splitter)
        for value in (labels, array):
            _, refusal = outcome(lambda value=value: selector.fit(X, Y, groups=value), "groups")
            sortable = bad in ("a complex", "text among numbers") or (bad == "a list" and value is labels)
            assert refusal is not None or sortable

