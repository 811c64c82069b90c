"""Small deterministic stand-ins for the models, and an index that uses them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
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


def until(holds: Callable[[], object], *, seconds: float = 20.0) -> None:
    """Wait, in short steps and not for ever, for what another thread or process does."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"still not so after {seconds:g} s"
        time.sleep(0.02)


def open_small(root: Path, *, embedder: object | None = None, **overrides: object) -> Hebbs:
    """An index without the spaCy model and with the word embedder, fast enough for properties."""
    flags = {"language.enabled": False, **overrides}
    hebbs = Hebbs.open(root, root=root, create=True, config=load_config(root, flags=flags))
    hebbs._workspace.models._embedder = embedder or SubmittingEmbedder()
    return hebbs
