"""Fixtures that all tests share: a corpus folder, real models, and a small deterministic double."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest


class Corpus:
    """A folder of documents that a test writes, renames and deletes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        return self.root / name

    def write(self, name: str, text: str | bytes) -> Path:
        target = self.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            target.write_bytes(text)
        else:
            target.write_bytes(text.encode("utf-8"))
        return target

    def rename(self, old: str, new: str) -> None:
        target = self.root / new
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(target)

    def delete(self, name: str) -> None:
        target = self.root / name
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink()


class WordEmbedder:
    """A small deterministic double: hashed words summed up, so that shared words are near."""

    fingerprint = "test-words-64"
    dimensions = 64

    def __init__(self) -> None:
        self.calls = 0
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.calls += 1
        self.texts += len(texts)
        return np.stack([self._one(text) for text in texts]).astype(np.float32)

    def _one(self, text: str) -> np.ndarray:
        total = np.zeros(self.dimensions)
        for word in text.lower().split() or [""]:
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
            total += np.random.default_rng(seed).standard_normal(self.dimensions)
        return total / np.linalg.norm(total)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path / "corpus")


@pytest.fixture
def word_embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture(scope="session")
def nlp():
    """The real language model, loaded once."""
    from hebbs_index.layers.nlp import load_language_model

    model = load_language_model()
    if not model.has_parser:
        pytest.skip(f"the spaCy model is not installed: {model.missing}")
    return model


@pytest.fixture(scope="session")
def embedder():
    """The real embedding model, loaded once."""
    from hebbs_index.errors import ModelUnavailable
    from hebbs_index.layers.embed import open_embedder

    try:
        return open_embedder()
    except ModelUnavailable as error:
        pytest.skip(f"the embedding model is not installed: {error}")


def shared_folder(variable: str) -> Path:
    """A folder named by an environment variable, or a skip that says which is missing."""
    value = os.environ.get(variable)
    if not value or not Path(value).is_dir():
        pytest.skip(f"{variable} does not name a folder")
    return Path(value)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    return shared_folder("HEBBS_DATA")


@pytest.fixture(scope="session")
def corpora_folder() -> Path:
    return shared_folder("HEBBS_CORPORA")
