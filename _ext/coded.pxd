# The coded data set as the C kernels see it: checked once, shared by the tree and the evaluate rooms.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t

from kernels cimport HISTOGRAM_CODES, TREE_PAD, base_level, data_t


cdef inline int bit_length(int64_t number) noexcept:
    cdef int bits = 0
    while number >> bits:
        bits += 1
    return bits


cdef inline void widths(data_t *data, int64_t n_codes) noexcept:
    """Set the parts of an entry for features of codes 0 .. n_codes; `n_samples` and `n_classes` are set."""
    data.id_bits = bit_length(data.n_samples - 1)
    data.label_bits = bit_length(data.n_classes - 1)
    data.entry_width = 4 if data.id_bits + data.label_bits + bit_length(n_codes) <= 32 else 8


cdef inline check_sizes(int64_t n_features, int64_t n_samples, const int32_t[::1] class_start):
    """Raise ValueError unless kernels can count the features, samples and classes of a data set."""
    if not 1 <= n_features < 1 << 31 or not 1 <= n_samples <= 1 << 30:
        raise ValueError("dataset must have 1 to 2**31 - 1 features and 1 to 2**30 samples, got "
                         f"{n_features} and {n_samples}")
    if class_start.shape[0] < 2 or class_start[0] != 0 or class_start[class_start.shape[0] - 1] != n_samples:
        raise ValueError(f"dataset.class_start must run from 0 to {n_samples}")


cdef inline data_t coded(dataset) except *:
    """Check the arrays of a coded data set and point to them; the caller keeps `dataset` alive.

    dataset : object with the attributes of `moeliga.data.dataset.Dataset`:
        codes uint8|uint16 [F, n], order uint16|uint32 [F, n], lower, upper float32|float64 [total],
        offset int64 [F + 1], counted uint8 [F], level int, labels uint16 [n], class_start int32 [n_classes + 1],
        reciprocal float64 [n + 1], rise, fall float32 [n + 1 + TREE_PAD],
        target None (classification) or with `steps` int64 [n]; then class_start are strata, and no feature is counted
    """
    cdef const uint8_t[:, ::1] codes = dataset.codes.view("u1")
    cdef const uint8_t[:, ::1] order = dataset.order.view("u1")
    cdef const uint8_t[::1] lower = dataset.lower.view("u1"), upper = dataset.upper.view("u1")
    cdef const double[::1] reciprocal = dataset.reciprocal
    cdef const float[::1] rise = dataset.rise, fall = dataset.fall
    cdef const int64_t[::1] offset = dataset.offset
    cdef const uint8_t[::1] counted = dataset.counted
    cdef const uint16_t[::1] labels = dataset.labels
    cdef const int32_t[::1] class_start = dataset.class_start
    cdef const int64_t[::1] steps
    cdef int64_t n_features = offset.shape[0] - 1, n_samples = labels.shape[0], n_codes = 1, bound, f
    cdef data_t data
    check_sizes(n_features, n_samples, class_start)
    data.code_width = dataset.codes.itemsize
    data.order_width = dataset.order.itemsize
    if data.code_width not in (1, 2) or codes.shape[0] != n_features or codes.shape[1] != n_samples * data.code_width:
        raise ValueError(f"dataset.codes must be uint8 or uint16 of shape ({n_features}, {n_samples})")
    if data.order_width not in (2, 4) or order.shape[0] != n_features or order.shape[1] != n_samples * data.order_width:
        raise ValueError(f"dataset.order must be uint16 or uint32 of shape ({n_features}, {n_samples})")
    if dataset.lower.dtype not in ("f4", "f8") or dataset.upper.dtype != dataset.lower.dtype:
        raise ValueError("dataset.lower and dataset.upper must be float32 or float64, both the same, got "
                         f"{dataset.lower.dtype} and {dataset.upper.dtype}")
    data.value_width = dataset.lower.itemsize
    if offset[0] != 0 or lower.shape[0] != offset[n_features] * data.value_width \
            or upper.shape[0] != lower.shape[0]:
        raise ValueError(f"dataset.lower and dataset.upper must have {offset[n_features]} entries")
    if counted.shape[0] != n_features:
        raise ValueError(f"dataset.counted must have {n_features} entries, got {counted.shape[0]}")
    if not 0 <= dataset.level <= base_level():
        raise ValueError(f"dataset.level must be in [0, {base_level()}], got {dataset.level}")
    for f in range(n_features):
        if not 0 <= offset[f + 1] - offset[f] <= 65536:
            raise ValueError(f"feature {f} must have at most 65536 codes, got {offset[f + 1] - offset[f]}")
        n_codes = max(n_codes, offset[f + 1] - offset[f])  # codes 0 .. n_codes, the missing one included
        if counted[f] and offset[f + 1] - offset[f] > HISTOGRAM_CODES:
            raise ValueError(f"dataset.counted must be 0 for feature {f}, which has more than {HISTOGRAM_CODES} codes")
    for name, length, wanted in (("reciprocal", reciprocal.shape[0], n_samples + 1),
                                 ("rise", rise.shape[0], n_samples + 1 + TREE_PAD),
                                 ("fall", fall.shape[0], n_samples + 1 + TREE_PAD)):
        if length != wanted:
            raise ValueError(f"dataset.{name} must have {wanted} entries, got {length}")
    data.target = NULL
    if dataset.target is not None:
        steps = dataset.target.steps
        bound = (<int64_t>1 << 62) // n_samples
        if steps.shape[0] != n_samples:
            raise ValueError(f"dataset.target must have {n_samples} entries, got {steps.shape[0]}")
        for f in range(n_samples):
            if not -bound < steps[f] < bound:
                raise ValueError(f"dataset.target must be below 2^62 / {n_samples} in magnitude, got {steps[f]}")
        for f in range(n_features):
            if counted[f]:
                raise ValueError(f"dataset.counted must be 0 for every feature in regression, feature {f} has 1")
        data.target = &steps[0]
    data.codes = &codes[0, 0]
    data.order = &order[0, 0]
    data.lower = &lower[0] if lower.shape[0] else NULL
    data.upper = &upper[0] if upper.shape[0] else NULL
    data.offset = &offset[0]
    data.counted = &counted[0]
    data.level = dataset.level
    data.labels = &labels[0]
    data.reciprocal = &reciprocal[0]
    data.rise = &rise[0]
    data.fall = &fall[0]
    data.n_features = <int32_t>n_features
    data.n_samples = <int32_t>n_samples
    data.n_classes = <int32_t>class_start.shape[0] - 1 if data.target == NULL else 1
    widths(&data, n_codes)
    return data
