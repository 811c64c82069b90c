"""hebbs-index: find the statements in your documents that disagree.

    from hebbs_index import Hebbs

    with Hebbs.open("notes", create=True) as hebbs:
        hebbs.index()
        for pending in hebbs.contradiction_prepare():
            print(pending.content_a_snippet, "/", pending.content_b_snippet)

The names below are the public ones; importing this package loads none of its parts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hebbs_index.version import __version__

if TYPE_CHECKING:
    from hebbs_index.aio import AsyncHebbs
    from hebbs_index.config import Config
    from hebbs_index.errors import HebbsError
    from hebbs_index.index import Hebbs
    from hebbs_index.records import EdgeKind, Label, MemoryKind, PendingContradiction, VerdictKind
    from hebbs_index.reports import CommitResult, ContradictionVerdictInput, UpdateReport

_HOMES = {
    "AsyncHebbs": "aio",
    "CommitResult": "reports",
    "Config": "config",
    "ContradictionVerdictInput": "reports",
    "EdgeKind": "records",
    "Hebbs": "index",
    "HebbsError": "errors",
    "Label": "records",
    "MemoryKind": "records",
    "PendingContradiction": "records",
    "UpdateReport": "reports",
    "VerdictKind": "records",
}

__all__ = [
    "AsyncHebbs",
    "CommitResult",
    "Config",
    "ContradictionVerdictInput",
    "EdgeKind",
    "Hebbs",
    "HebbsError",
    "Label",
    "MemoryKind",
    "PendingContradiction",
    "UpdateReport",
    "VerdictKind",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
