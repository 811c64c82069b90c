"""Embed statements that have no vector yet, and see that all vectors come from one model."""

from __future__ import annotations

from hebbs_index.quantized import quantize
from hebbs_index.reports import Progress
from hebbs_index.workspace import Report, Workspace

CHUNK = 1024  # texts embedded and kept together: what a kill loses at most


def use_one_model(workspace: Workspace) -> None:
    """Drop vectors that another model or another setting made; similarities never mix them.

    Without a usable model the vectors stay: they are right, only no new ones can be made.
    """
    embedder = workspace.models.embedder()
    if embedder is None or workspace.store.embedding_fingerprint() == embedder.fingerprint:
        return
    with workspace.writing():
        workspace.store.set_embedding_fingerprint(embedder.fingerprint)


def embed_what_is_left(workspace: Workspace, report: Report) -> int:
    """Embed every statement without a vector; gives how many texts that were."""
    embedder = workspace.models.embedder()
    if embedder is None:
        return 0
    left = {row.text_hash: row.embed_text for row in workspace.store.unembedded()}
    # Longest first: chunks of like length fill their batches.
    keys = sorted(left, key=lambda key: (-len(left[key]), key))
    for first in range(0, len(keys), CHUNK):
        chunk = keys[first : first + CHUNK]
        rows = quantize(embedder.embed([left[key] for key in chunk]))
        with workspace.writing():
            workspace.store.add_vectors(
                {key: row.tobytes() for key, row in zip(chunk, rows, strict=True)}
            )
        report(Progress("embed", min(first + CHUNK, len(keys)), len(keys)))
    return len(keys)
