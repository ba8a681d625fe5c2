"""NPZ archives that NumPy would not write."""

import io
import zipfile

import numpy as np


def zipped(**entries):
    """Bytes of an archive that is whole, of entries that may be anything."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, entry in entries.items():
            file.writestr(f"{name}.npy", entry)
    return content.getvalue()


def array_bytes(array, **options):
    """Bytes of an entry; the options are of `numpy.lib.format.write_array`."""
    content = io.BytesIO()
    np.lib.format.write_array(content, array, **options)
    return content.getvalue()
