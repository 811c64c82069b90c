"""Unit vectors on an integer grid, so that their products are exact.

A vector is stored as its unit vector times `SCALE`, rounded to integers and kept
as float16, which holds integers up to 2048 exactly. A product of two such vectors is a
sum of integers whose partial sums never pass SCALE squared (Cauchy-Schwarz), well
below 2**24, so float32 adds them without rounding in any order. A similarity is
therefore the same number whatever the batch, the block shape or the BLAS, which is
what makes an incremental run equal a run from scratch to the last bit.

The grid step of 1/2000 moves a cosine by about 0.0002, less than float16 itself would.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

SCALE = 2000
DTYPE = np.dtype("<f2")

Grid = npt.NDArray[np.float16]
Floats = npt.NDArray[np.float32]


def quantize(vectors: npt.NDArray[Any]) -> Grid:
    """Put unit vectors, shape [n, dimensions], on the grid."""
    return np.rint(np.asarray(vectors, dtype=np.float64) * SCALE).astype(DTYPE)


def products(rows: npt.NDArray[Any], matrix: npt.NDArray[Any]) -> Floats:
    """Exact inner products of grid vectors: [r, d] and [n, d] give integers [r, n]."""
    left = np.asarray(rows, dtype=np.float32)
    right = np.asarray(matrix, dtype=np.float32)
    result: Floats = left @ right.T
    return result


def to_similarity(product: float) -> float:
    """Cosine, at most 1, of an inner product of two grid vectors."""
    return min(1.0, float(product) / (SCALE * SCALE))


def to_product(similarity: float) -> float:
    """The smallest product whose similarity is at least `similarity`."""
    return float(np.ceil(similarity * SCALE * SCALE))
