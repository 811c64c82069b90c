"""Edges, all of them derived when they are read, so that none is ever stale.

An edge exists while both of its ends do. What keeps it is either what the files say
(`proposition_of`, `entity_relation`, `related_to`) or a ruling (`contradicts`,
`revised_from`); the views of the schema join those to the memories that stand now.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from hebbs_index.records import Edge, EdgeKind
from hebbs_index.store.database import Database, Row, as_json

# View -> where its edges come from, and their kinds.
_VIEWS: Mapping[str, tuple[str, frozenset[EdgeKind]]] = {
    "edge_proposition_of": ("file", frozenset({EdgeKind.PROPOSITION_OF})),
    "edge_entity_relation": ("file", frozenset({EdgeKind.ENTITY_RELATION})),
    "edge_related_to": ("file", frozenset({EdgeKind.RELATED_TO})),
    "edge_ruling": ("agent", frozenset({EdgeKind.CONTRADICTS, EdgeKind.REVISED_FROM})),
}
_COLUMNS = "source_id, target_id, kind, confidence, created_us, note"


def edges_of(
    database: Database,
    ids: Collection[str] | None = None,
    kinds: Collection[EdgeKind] = tuple(EdgeKind),
) -> list[Edge]:
    """Edges of these kinds that start or end at one of these memories, or all.

    They are ordered by kind and ends. A symmetric edge is listed once, with its smaller
    id first.
    """
    found: set[Edge] = set()
    for view, (origin, possible) in _VIEWS.items():
        if possible.isdisjoint(kinds):
            continue
        build = partial(_edge, origin=origin)
        found.update(database.decoded(build, row) for row in _rows(database, view, ids))
    wanted = [edge for edge in found if edge.kind in kinds]
    return sorted(wanted, key=lambda e: (str(e.kind), e.source_id, e.target_id, e.note))


def _rows(database: Database, view: str, ids: Collection[str] | None) -> list[Row]:
    select = f"SELECT {_COLUMNS} FROM {view}"
    if ids is None:
        return database.rows(select)
    where = "IN (SELECT value FROM json_each(?1))"
    return database.rows(
        f"{select} WHERE source_id {where} UNION {select} WHERE target_id {where}",
        (as_json(sorted(ids)),),
    )


def _edge(row: Row, *, origin: str) -> Edge:
    kind = EdgeKind(row["kind"])
    source, target = str(row["source_id"]), str(row["target_id"])
    if kind.symmetric and target < source:
        source, target = target, source
    return Edge(
        source, target, kind, float(row["confidence"]), int(row["created_us"]), origin, row["note"]
    )


def count_edges(database: Database) -> dict[str, int]:
    """How many edges there are of each kind that occurs."""
    counted: dict[str, int] = {}
    for view in _VIEWS:
        for row in database.rows(f"SELECT kind, count(*) FROM {view} GROUP BY kind ORDER BY kind"):
            counted[str(row[0])] = int(row[1])
    return counted
