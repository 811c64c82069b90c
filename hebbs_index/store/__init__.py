"""The store: SQLite behind a typed interface. No SQL outside this package, no model inside it."""

from hebbs_index.store.rows import (
    Counts,
    DocumentRow,
    EntityRow,
    FileChange,
    FlaggedPair,
    Memory,
    RuledSide,
    Ruling,
    Slot,
    Unembedded,
    Vectors,
)
from hebbs_index.store.store import DATABASE, Store
from hebbs_index.store.vectors import VectorCache

__all__ = [
    "DATABASE",
    "Counts",
    "DocumentRow",
    "EntityRow",
    "FileChange",
    "FlaggedPair",
    "Memory",
    "RuledSide",
    "Ruling",
    "Slot",
    "Store",
    "Unembedded",
    "VectorCache",
    "Vectors",
]
