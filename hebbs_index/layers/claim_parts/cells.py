"""Rows of one table that begin alike, told apart by their number.

"GitHub | 5 minutes" and "GitHub | 90 days" in one table are about two things, while the same row
in the tables of two files under one title is about one. So a cell that stands once in
its file keeps its plain name, and only repeated ones are numbered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hebbs_index.records import Claim

CELL = "cell"
"""The kind of scope that names a table, a row and a column."""


def numbered_cells(found: Sequence[tuple[Claim, ...]]) -> Iterator[tuple[Claim, ...]]:
    """The claims of the statements of one file, in order, with repeated cells numbered."""
    often = Counter(value for claims in found for value in _cells(claims))
    seen: Counter[str] = Counter()
    for claims in found:
        repeated = {value for value in _cells(claims) if often[value] > 1}
        seen.update(repeated)
        yield tuple(_numbered(claim, repeated, seen) for claim in claims) if repeated else claims


def _cells(claims: tuple[Claim, ...]) -> frozenset[str]:
    return frozenset(value for claim in claims for kind, value in claim.scope if kind == CELL)


def _numbered(claim: Claim, repeated: set[str], seen: Counter[str]) -> Claim:
    scope = [
        (kind, f"{value}, {seen[value]}" if kind == CELL and value in repeated else value)
        for kind, value in claim.scope
    ]
    return replace(claim, scope=tuple(sorted(scope)))
