"""Small deterministic stand-ins for the models, and an index that uses them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

import numpy as np
from conftest import WordEmbedder

from hebbs_index.config import load_config
from hebbs_index.index import Hebbs


class SubmittingEmbedder(WordEmbedder):
    """`WordEmbedder` with the asynchronous form the update uses."""

    name = "words"

    def submit(self, texts: Sequence[str]) -> Future[np.ndarray]:
        future: Future[np.ndarray] = Future()
        future.set_result(self.embed(texts))
        return future

    def close(self) -> None:
        return None


def open_small(root: Path, *, embedder: object | None = None, **overrides: object) -> Hebbs:
    """An index without the spaCy model and with the word embedder, fast enough for properties."""
    flags = {"language.enabled": False, **overrides}
    hebbs = Hebbs.open(root, root=root, create=True, config=load_config(root, flags=flags))
    hebbs._workspace.models._embedder = embedder or SubmittingEmbedder()
    return hebbs
