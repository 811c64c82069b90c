"""Rows and fields of one file that begin alike, told apart by their number.

"GitHub | 5 minutes" and "GitHub | 90 days" in one table are about two things, and so are three
fields "Removed in: ..." of three list items. The same row in the tables of two files under one
title is about one thing. So what stands once in its file keeps its plain name, and only
what comes back is numbered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hebbs_index.records import Claim

CELL = "cell"
"""The kind of scope that names a table, a row and a column."""

RECORD = "record"
"""The kind of scope that names a field of a file; kept only where the field comes back."""

# From how often on a name is one of many: two fields of one name may disagree, three are records.
_MANY = {CELL: 2, RECORD: 3}

Scope = tuple[str, str]


def numbered_cells(found: Sequence[tuple[Claim, ...]]) -> Iterator[tuple[Claim, ...]]:
    """The claims of the statements of one file, in order, with what comes back numbered."""
    often = Counter(scope for claims in found for scope in _places(claims))
    seen: Counter[Scope] = Counter()
    for claims in found:
        places = _places(claims)
        repeated = {scope for scope in places if often[scope] >= _MANY[scope[0]]}
        seen.update(repeated)
        yield tuple(_numbered(claim, repeated, seen) for claim in claims) if places else claims


def _places(claims: tuple[Claim, ...]) -> frozenset[Scope]:
    return frozenset(scope for claim in claims for scope in claim.scope if scope[0] in _MANY)


def _numbered(claim: Claim, repeated: set[Scope], seen: Counter[Scope]) -> Claim:
    kept = [scope for scope in claim.scope if scope[0] != RECORD or scope in repeated]
    scope = [(kind, f"{v}, {seen[kind, v]}" if (kind, v) in repeated else v) for kind, v in kept]
    return replace(claim, scope=tuple(sorted(scope)))
