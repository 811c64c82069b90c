"""Texts to unit vectors, with a local ONNX model and nothing else.

A text's vector depends on that text and the model alone, never on what it was embedded
with: only texts of equal token count share a batch, so nothing is ever padded, and every
batch runs on one thread. Several worker threads keep the cores busy instead; that is also
faster than one batch over all cores (275 against 170 sentences a second on two cores,
27 tokens on average).

The model is checked when it is opened and loaded when the first text arrives, so a run
that finds nothing to embed pays for neither onnxruntime nor the weights.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from hebbs_index.errors import ModelUnavailable
from hebbs_index.layers.models import ModelFiles, folder_files, packaged_files, read_checked
from hebbs_index.native import import_onnxruntime
from hebbs_index.quantized import SCALE
from hebbs_index.reports import Finding

Vectors = npt.NDArray[np.float32]

MAX_TOKENS = 256  # what the model was trained with; the rest of a longer text is not read
BATCH_SIZE = 16  # equal-length texts a batch; measured flat from 16 on
BATCH_TOKENS = 512  # and no more tokens than this, which bounds the memory of a batch
MAX_WORKERS = 8
POOLING = "mean"
# Hidden states that are pooled, by the names that exporters give them.
HIDDEN_STATES = ("last_hidden_state", "token_embeddings")


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """How to embed.

    `model_folder` names a folder with `model.onnx` and `tokenizer.json`; None means the
    packaged model. The two hashes pin a folder's files. `threads` is how many texts are
    worked on at once, 0 for one a core. `batch_size` bounds how many texts of equal token
    count run together and changes no vector.
    """

    model_folder: Path | None = None
    model_sha256: str | None = None
    tokenizer_sha256: str | None = None
    max_tokens: int = MAX_TOKENS
    threads: int = 0
    batch_size: int = BATCH_SIZE
    enabled: bool = True


class Embedder(Protocol):
    """What the rest of the package needs of an embedding model."""

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints mean vectors that may be compared."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def calls(self) -> int:
        """How often `embed` was called."""

    @property
    def texts(self) -> int:
        """How many distinct texts went through the model."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Give one unit vector a text, shape [n, dimensions]."""


def open_embedder(settings: EmbeddingSettings | None = None) -> OnnxEmbedder:
    """Check the model files and give an embedder over them.

    Raises ModelUnavailable if embedding is switched off, a library or file is missing, or
    a file is not the one that was pinned.
    """
    settings = settings or EmbeddingSettings()
    if not settings.enabled:
        raise ModelUnavailable(
            "embeddings are switched off in the configuration",
            hint="Set `enabled = true` under [embedding] in hebbs.toml to use them.",
        )
    for library in ("onnxruntime", "tokenizers"):
        if find_spec(library) is None:
            raise ModelUnavailable(f"{library} is not installed", hint=f"pip install {library}")
    return OnnxEmbedder(_model_files(settings), settings)


def model_findings(settings: EmbeddingSettings | None = None) -> tuple[Finding, ...]:
    """Say for `doctor` whether the embedding model can be used, and if not, what to do."""
    settings = settings or EmbeddingSettings()
    try:
        with open_embedder(settings) as embedder:
            embedder.embed(["The model answers."])
            detail = f"{embedder.name}, {embedder.dimensions} dimensions, {embedder.fingerprint}"
    except ModelUnavailable as error:
        level = "warning" if settings.enabled else "note"
        lost = "search by meaning and contradictions found by similarity are off"
        return (Finding("embedding model", level, f"{error}; {lost}", error.hint),)
    return (Finding("embedding model", "ok", detail),)


def _model_files(settings: EmbeddingSettings) -> ModelFiles:
    if settings.model_folder is None:
        return packaged_files()
    return folder_files(settings.model_folder, settings.model_sha256, settings.tokenizer_sha256)


def fingerprint_of(model_sha256: str, tokenizer_sha256: str, max_tokens: int) -> str:
    """Hash everything that decides a stored vector, as 32 hex digits."""
    parts = (model_sha256, tokenizer_sha256, str(max_tokens), POOLING, f"grid {SCALE}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def equal_length_batches(
    lengths: Sequence[int], batch_size: int, batch_tokens: int = BATCH_TOKENS
) -> list[list[int]]:
    """Group positions of equal length, longest first, so that no batch needs padding.

    A batch holds at most `batch_size` positions and, unless a single one is longer,
    at most `batch_tokens` tokens.
    """
    batches: list[list[int]] = []
    for position in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        length = lengths[position]
        room = max(1, min(batch_size, batch_tokens // max(1, length)))
        last = batches[-1] if batches else []
        if last and lengths[last[0]] == length and len(last) < room:
            last.append(position)
        else:
            batches.append([position])
    return batches


class OnnxEmbedder:
    """Runs a sentence embedding model; may be used from any thread and is closed once."""

    def __init__(self, files: ModelFiles, settings: EmbeddingSettings) -> None:
        self.name = files.name
        self.calls = 0
        self.texts = 0
        self._settings = settings
        self._model, model_hash = read_checked(files.model)
        self._tokenizer, tokenizer_hash = read_checked(files.tokenizer)
        self.fingerprint = fingerprint_of(model_hash, tokenizer_hash, settings.max_tokens)
        self._engine: _Engine | None = None
        self._workers = _worker_count(settings.threads)
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="embed")
        # Two, so that one request's last batches overlap with the next one's first.
        self._requests = ThreadPoolExecutor(2, thread_name_prefix="embed-request")
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def dimensions(self) -> int:
        """Length of a vector. Loads the model if that was not needed before."""
        return self._loaded().dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Give one unit vector a text, shape [n, dimensions]; equal texts run once.

        Raises ModelUnavailable if the model cannot be loaded or fails on a text.
        """
        engine = self._loaded()
        distinct = list(dict.fromkeys(texts))
        tokens = engine.tokenize(distinct)
        batches = equal_length_batches([len(ids) for ids in tokens], self._settings.batch_size)
        vectors = np.empty((len(distinct), engine.dimensions), dtype=np.float32)
        for batch, result in zip(batches, self._run(engine, tokens, batches), strict=True):
            vectors[batch] = result
        with self._lock:
            self.calls += 1
            self.texts += len(distinct)
        place = {text: row for row, text in enumerate(distinct)}
        return vectors[[place[text] for text in texts]]

    def submit(self, texts: Sequence[str]) -> Future[Vectors]:
        """Embed in the background; the future gives what `embed` would.

        Some hundred texts a request keep the workers busy; the caller bounds how many
        requests are under way.
        """
        return self._requests.submit(self.embed, list(texts))

    def close(self) -> None:
        """Drop what is queued, end the worker threads and let go of the model."""
        self._requests.shutdown(wait=True, cancel_futures=True)
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._closed = True
        self._engine = None

    def _run(
        self, engine: _Engine, tokens: Sequence[Sequence[int]], batches: Sequence[Sequence[int]]
    ) -> Iterable[Vectors]:
        rows = ([tokens[position] for position in batch] for batch in batches)
        if len(batches) == 1 or self._workers == 1:
            return map(engine.run, rows)
        return self._pool.map(engine.run, rows)

    def _loaded(self) -> _Engine:
        with self._lock:
            if self._closed:
                raise ModelUnavailable(f"{self.name}: used after it was closed")
            if self._engine is None:
                self._engine = _Engine(
                    self.name, self._model, self._tokenizer, self._settings.max_tokens
                )
                self._model = b""  # the session has its own copy
            return self._engine


def _worker_count(threads: int) -> int:
    if threads > 0:
        return threads
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(cores, MAX_WORKERS)


class _Engine:
    """A loaded model: tokenizer, session and how its graph wants to be called."""

    def __init__(self, name: str, model: bytes, tokenizer: bytes, max_tokens: int) -> None:
        self.name = name
        self._tokenizer = _make_tokenizer(name, tokenizer, max_tokens)
        runtime = import_onnxruntime()
        self._errors = _runtime_errors(runtime)
        self._session = self._make_session(runtime, model)
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._output = self._pooled_output()
        self.dimensions = self._count_dimensions()

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Give the token ids of each text, truncated, never padded."""
        encodings = self._tokenizer.encode_batch([_well_formed(text) for text in texts])
        return [encoding.ids for encoding in encodings]

    def run(self, rows: Sequence[Sequence[int]]) -> Vectors:
        """Embed token rows of one length."""
        hidden = self._hidden_states(np.array(rows, dtype=np.int64))
        pooled = hidden.mean(axis=1, dtype=np.float64)
        length = np.linalg.norm(pooled, axis=1, keepdims=True)
        if not np.isfinite(length).all() or not (length > 0).all():
            raise ModelUnavailable(f"{self.name}: gives no usable vector for some texts")
        vectors: Vectors = (pooled / length).astype(np.float32)
        return vectors

    def _hidden_states(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        offered = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        feeds = {name: array for name, array in offered.items() if name in self._inputs}
        try:
            hidden: npt.NDArray[np.float32] = self._session.run([self._output], feeds)[0]
        except self._errors as error:
            raise ModelUnavailable(f"{self.name}: the model failed: {error}") from error
        return hidden

    def _make_session(self, runtime: Any, model: bytes) -> Any:
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1  # the worker threads are the parallelism; nobody spins
        options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors only: warnings are about graph optimisation
        try:
            return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except self._errors as error:
            raise ModelUnavailable(f"{self.name}: cannot be loaded: {error}") from error

    def _pooled_output(self) -> str:
        names = [entry.name for entry in self._session.get_outputs() if len(entry.shape) == 3]
        if "input_ids" not in self._inputs or not names:
            raise ModelUnavailable(
                f"{self.name}: not a sentence encoder: it must take `input_ids` and give hidden"
                " states of the shape [batch, sequence, dimensions]"
            )
        known = [name for name in HIDDEN_STATES if name in names]
        return str((known or names)[0])

    def _count_dimensions(self) -> int:
        shape = next(e.shape for e in self._session.get_outputs() if e.name == self._output)
        if isinstance(shape[2], int):
            return shape[2]
        return int(self.run(self.tokenize(["length"])).shape[1])


def _make_tokenizer(name: str, data: bytes, max_tokens: int) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(data)
    except ValueError as error:
        raise ModelUnavailable(f"{name}: tokenizer.json cannot be used: {error}") from error
    tokenizer.no_padding()  # the file asks for padding to 128 tokens, whatever the text
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def _runtime_errors(runtime: Any) -> tuple[type[Exception], ...]:
    """Collect onnxruntime's exceptions, which have no base class of their own."""
    state = runtime.capi.onnxruntime_pybind11_state
    found = (value for value in vars(state).values() if isinstance(value, type))
    return tuple(kind for kind in found if issubclass(kind, Exception))


def _well_formed(text: str) -> str:
    """Replace lone surrogates, which undecodable bytes can leave and no tokenizer takes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text
