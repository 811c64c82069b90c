"""Which statements are near enough to be compared, as a property of the whole set.

Two vectors are candidates when their similarity is at least the cut and one is among the
other's `k` nearest; ties go to the smaller key. That depends on the set of vectors
alone, never on the order they came in. To keep it so without comparing everything
again, each vector remembers its *floor*: the product and key of its k-th neighbour, or
nothing while it has fewer than `k`. A vector that comes or goes concerns exactly those
whose floor it reaches; they are looked up anew, and nobody else.

Rows and columns are positions in a `VectorSpace`, which is ordered by key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hebbs_index.quantized import Floats, products, to_product, to_similarity

BLOCK = 512  # rows multiplied at once: 512 x 100,000 products are 200 MB

Floor = tuple[float, str]  # product and key of the k-th neighbour
Near = tuple[npt.NDArray[np.int64], Floats]  # columns and products at or above the cut
Rows = Callable[[Sequence[int]], Iterator[tuple[int, Near]]]


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """All live vectors, ordered by key. `matrix` holds grid vectors as float32, [n, d]."""

    ids: npt.NDArray[np.int64]
    keys: Sequence[str]
    matrix: Floats
    floors: Sequence[Floor | None]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What a look-up found: candidate pairs of vector ids, and the floors to remember."""

    pairs: Mapping[tuple[int, int], float]  # (smaller id, larger id) -> similarity
    floors: Mapping[int, Floor | None]  # vector id -> floor
    looked_up: frozenset[int]  # vector ids whose pairs are complete in `pairs`


def exact_rows(matrix: Floats, cut: float) -> Rows:
    """Find, for each row, every other column at or above the cut, by blocked products."""
    threshold = to_product(cut)

    def rows_of(rows: Sequence[int]) -> Iterator[tuple[int, Near]]:
        for first in range(0, len(rows), BLOCK):
            block = list(rows[first : first + BLOCK])
            dots = products(matrix[block], matrix)
            dots[np.arange(len(block)), block] = -np.inf  # nobody is their own neighbour
            for position, row in enumerate(block):
                columns = np.flatnonzero(dots[position] >= threshold)
                yield row, (columns, dots[position, columns])

    return rows_of


def nearest(near: Near, k: int) -> Near:
    """Keep the `k` largest products; ties go to the smaller column, which has the smaller key."""
    columns, dots = near
    order = np.lexsort((columns, -dots))[:k]
    return columns[order], dots[order]


def _floor(best: Near, k: int, keys: Sequence[str]) -> Floor | None:
    columns, dots = best
    if len(columns) < k:
        return None
    return float(dots[-1]), keys[int(columns[-1])]


def reaches(product: float, key: str, floor: Floor | None) -> bool:
    """Whether a vector with this product and key stands at or above somebody's floor."""
    if floor is None:
        return True
    return product > floor[0] or (product == floor[0] and key <= floor[1])


def concerned(
    space: VectorSpace, changed: Floats, changed_keys: Sequence[str], cut: float
) -> set[int]:
    """Rows whose neighbours may change when the `changed` vectors come or go."""
    threshold = to_product(cut)
    rows: set[int] = set()
    for first in range(0, len(changed), BLOCK):
        dots = products(changed[first : first + BLOCK], space.matrix)
        for position, column in zip(*np.nonzero(dots >= threshold), strict=True):
            key = changed_keys[first + int(position)]
            row = int(column)
            if row not in rows and reaches(float(dots[position, column]), key, space.floors[row]):
                rows.add(row)
    return rows


def look_up(space: VectorSpace, rows: Sequence[int], *, k: int, near: Rows) -> Neighbours:
    """Find all candidate pairs of the given rows, both where they chose and were chosen.

    The floors of all other rows must be right, as they are after `concerned` named
    every row to look up.
    """
    wanted = set(rows)
    everything = len(wanted) == len(space.ids)
    pairs: dict[tuple[int, int], float] = {}
    floors: dict[int, Floor | None] = {}
    for row, found in near(rows):
        best = nearest(found, k)
        floors[int(space.ids[row])] = _floor(best, k, space.keys)
        _add_pairs(pairs, space, row, best)
        if not everything:
            _add_pairs(pairs, space, row, _chosen_by(space, row, found, wanted))
    looked_up = frozenset(int(space.ids[row]) for row in wanted)
    return Neighbours(pairs, floors, looked_up)


def _chosen_by(space: VectorSpace, row: int, found: Near, wanted: set[int]) -> Near:
    """Those among `found`, outside the look-up itself, that have `row` among their nearest."""
    columns, dots = found
    key = space.keys[row]
    keep = [
        position
        for position, column in enumerate(columns)
        if int(column) not in wanted
        and reaches(float(dots[position]), key, space.floors[int(column)])
    ]
    return columns[keep], dots[keep]


def _add_pairs(
    pairs: dict[tuple[int, int], float], space: VectorSpace, row: int, near: Near
) -> None:
    own = int(space.ids[row])
    for column, product in zip(near[0], near[1], strict=True):
        other = int(space.ids[int(column)])
        pairs[min(own, other), max(own, other)] = to_similarity(float(product))
