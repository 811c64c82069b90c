"""What verdicts say of a memory: who contests it, what supersedes it."""

from __future__ import annotations

from collections.abc import Sequence

from hebbs_index.records import EdgeKind
from hebbs_index.store import Store

Standing = tuple[tuple[str, ...], tuple[str, ...]]  # contested by, superseded by


def standing_of(store: Store, memory_ids: Sequence[str]) -> dict[str, Standing]:
    """For each memory, the ids that contest it and those that supersede it."""
    contested: dict[str, set[str]] = {memory_id: set() for memory_id in memory_ids}
    superseded: dict[str, set[str]] = {memory_id: set() for memory_id in memory_ids}
    for edge in store.edges_of(memory_ids, (EdgeKind.CONTRADICTS, EdgeKind.REVISED_FROM)):
        if edge.kind is EdgeKind.REVISED_FROM:
            superseded.get(edge.target_id, set()).add(edge.source_id)
        else:
            contested.get(edge.source_id, set()).add(edge.target_id)
            contested.get(edge.target_id, set()).add(edge.source_id)
    return {
        memory_id: (tuple(sorted(contested[memory_id])), tuple(sorted(superseded[memory_id])))
        for memory_id in memory_ids
    }
