"""The two models of a run, each loaded when something needs it and not before.

What a model would be is known without loading it (`analysis_version`,
`embedding_fingerprint`), so a run over unchanged files loads none. A missing model is
not an error here: `off` says in a sentence what goes without it.
"""

from __future__ import annotations

import importlib.metadata
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from hebbs_index import ids
from hebbs_index.config import Config
from hebbs_index.errors import ModelUnavailable

if TYPE_CHECKING:
    from hebbs_index.layers.embed import EmbeddingSettings, OnnxEmbedder
    from hebbs_index.layers.nlp import LanguageModel


class Models:
    """The language model and the embedding model that a configuration asks for."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._language: LanguageModel | None = None
        self._embedder: OnnxEmbedder | None = None
        self._embedder_error: ModelUnavailable | None = None
        self._loading = threading.Lock()  # two threads must not load a model twice

    def analysis_version(self) -> str:
        """What decides the layers of a file: code, language model, entity folders."""
        from hebbs_index.layers.analyze import ANALYSIS_VERSION

        folders = ids.digest("folders", *self._config.corpus.entity_folders)[:8]
        return f"{ANALYSIS_VERSION}+{self.language_version()}+{folders}"

    def language_version(self) -> str:
        """The versions of spaCy and its model, read from package metadata."""
        spacy = importlib.metadata.version("spacy")
        name = self._config.language.model
        if self.language_missing():
            return f"spacy-{spacy}+blank"
        return f"spacy-{spacy}+{name}-{_package_version(name)}"

    def language_missing(self) -> bool:
        """Whether sentences will be read without the spaCy model."""
        from hebbs_index.layers.nlp import is_installed

        wanted = self._config.language
        return not wanted.enabled or not is_installed(wanted.model)

    def language(self) -> LanguageModel:
        """Load the language model, or its stand-in."""
        with self._loading:
            if self._language is None:
                from hebbs_index.layers.nlp import load_language_model

                wanted = self._config.language
                self._language = load_language_model(wanted.model, enabled=wanted.enabled)
            return self._language

    def embedder(self) -> OnnxEmbedder | None:
        """The embedding model, or None when it is missing, wrong or switched off."""
        with self._loading:
            if self._embedder is None and self._embedder_error is None:
                from hebbs_index.layers.embed import open_embedder

                try:
                    self._embedder = open_embedder(self.embedding_settings())
                except ModelUnavailable as error:
                    self._embedder_error = error
            return self._embedder

    def load_embedder_ahead(self) -> None:
        """Load the embedding model in the background, while something else is to be done."""
        embedder = self.embedder()
        if embedder is not None:
            threading.Thread(target=_load, args=(embedder,), daemon=True, name="load").start()

    def embedding_settings(self) -> EmbeddingSettings:
        """The embedding part of the configuration, as the layer takes it."""
        from hebbs_index.layers.embed import EmbeddingSettings

        wanted = self._config.embedding
        return EmbeddingSettings(
            model_folder=self._config.model_folder,
            model_sha256=wanted.model_sha256 or None,
            tokenizer_sha256=wanted.tokenizer_sha256 or None,
            threads=wanted.threads,
            batch_size=wanted.batch_size,
            enabled=wanted.enabled,
        )

    def off(self) -> tuple[str, ...]:
        """What does not work for want of a model, a sentence each."""
        sentences = []
        if self.language_missing():
            name = self._config.language.model
            why = "is not installed" if self._config.language.enabled else "is switched off"
            sentences.append(
                f"the spaCy model {name} {why}: clauses, relations and names are found by rule only"
            )
        if self.embedder() is None and self._embedder_error is not None:
            sentences.append(
                f"{self._embedder_error}: search is by words only, and statements meet only"
                " where they name the same thing"
            )
        return tuple(sentences)

    def counts(self) -> tuple[int, int]:
        """Texts run through the language model and through the embedding model so far."""
        language = self._language.texts if self._language else 0
        embedded = self._embedder.texts if self._embedder else 0
        return language, embedded

    def close(self) -> None:
        """Let go of the embedding model's threads."""
        with self._loading:
            if self._embedder is not None:
                self._embedder.close()
                self._embedder = None


def _package_version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"  # a pipeline folder on the path, without package metadata


def _load(embedder: OnnxEmbedder) -> None:
    with suppress(ModelUnavailable):  # whoever needs a vector is told
        _ = embedder.dimensions
