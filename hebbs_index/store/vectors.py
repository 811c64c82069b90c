"""Find the nearest vectors: exactly while that is fast, by a usearch index from there on.

The rows of the store are the truth; the usearch file is a cache of them that may be missing,
old or damaged at any time without an answer being wrong. It is used only if its
checksum matches to the last byte, it comes from this very database, model and version of
usearch. It covers all rows up to some number; later ones are searched exactly, those that are
gone since are dropped, and every similarity is computed anew from the rows, so it is
exact even where the choice of neighbours is approximate.

The file is written by `fold_in` alone, by atomic replacement. That needs no lock: two processes
doing it at once cost time, and a file that does not fit its record is not used.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hebbs_index.durable import replace_file
from hebbs_index.native import import_usearch
from hebbs_index.store.rows import Vectors
from hebbs_index.store.store import Store

if TYPE_CHECKING:  # numpy costs more than most commands that only read
    import numpy as np
    import numpy.typing as npt

EXACT_LIMIT = 50_000
"""Vectors up to which searching all is fast (1.5 ms at 50,000) and needs no file."""

FOLD_SHARE = 0.02  # rows after the covered ones that are worth writing the file again
DEAD_SHARE = 0.1  # of the file's vectors; more of them gone is worth building it anew
CONNECTIVITY = 16
EXPANSION_ADD = 128
EXPANSION_SEARCH = 256  # measured recall@10 of .999 at 10,000 and .983 at 100,000 vectors

Found = tuple[int, float]  # vector id and similarity
_Keyed = tuple[int, float, str]  # and its text hash


@dataclass(frozen=True, slots=True)
class CacheRecord:
    """What `vectors.json` says of the usearch file beside it."""

    sha256: str  # of the whole file
    covered: int  # the file holds every vector numbered up to this
    count: int
    dimensions: int
    fingerprint: str | None  # of the embedding model
    identity: str  # of the database
    usearch: str  # the version that wrote it


@dataclass(frozen=True, slots=True)
class _Graph:
    record: CacheRecord
    index: Any  # usearch.index.Index


@dataclass(frozen=True, slots=True)
class _Everything:
    state: tuple[str, int]  # of which database, at which generation
    vectors: Vectors
    matrix: npt.NDArray[np.float32]


class VectorCache:
    """Nearest vectors of one store; may be used from any thread."""

    def __init__(
        self, directory: Path, store: Store, *, exact_limit: int = EXACT_LIMIT, threads: int = 0
    ) -> None:
        """`threads` are those of usearch when it builds its index; 0 means one a core."""
        self.path = directory / "vectors.usearch"
        self.record_path = directory / "vectors.json"
        self._store = store
        self._exact_limit = exact_limit
        self._threads = threads
        self._guard = threading.Lock()
        self._graph: _Graph | None = None
        self._everything: _Everything | None = None

    def __len__(self) -> int:
        """How many vectors can be found."""
        return self._store.count_vectors()

    # ---------------------------------------------------------------- searching

    def search(self, query: npt.NDArray[Any], k: int) -> list[Found]:
        """The `k` nearest live vectors with their similarity, nearest first, ties by text hash.

        The query is a grid vector (float16) or a unit vector of any other type. Raises
        ValueError if it has not as many dimensions as the vectors.
        """
        import numpy as np

        from hebbs_index.quantized import quantize

        if k < 1:
            return []
        grid = query if query.dtype == np.float16 else quantize(query)
        with self._store.snapshot():
            live = self._store.count_vectors()
            # A graph is good at finding a few; most of them are found sooner by looking at all.
            exact = live <= self._exact_limit or k * 10 > live
            graph = None if exact else self._load_graph()
            if graph is None:
                everything = self._load_everything()
                found = _nearest(everything.vectors, everything.matrix, grid, k)
            else:
                found = self._search_graph(graph, grid, k)
        return [(number, similarity) for number, similarity, _key in found]

    def _load_everything(self) -> _Everything:
        """All vectors as one matrix, kept until the store changes."""
        import numpy as np

        state = self._store.identity(), self._store.generation()
        kept = self._everything
        if kept is None or kept.state != state:
            vectors = self._store.load_vectors()
            kept = _Everything(state, vectors, vectors.data.astype(np.float32))
            self._everything = kept
        return kept

    def _search_graph(self, graph: _Graph, grid: npt.NDArray[Any], k: int) -> list[_Keyed]:
        """Nearest by the file, exactly re-scored, and nearest of the rows it does not cover."""
        import numpy as np

        from hebbs_index.quantized import SCALE

        covered = graph.record.covered
        live = self._store.count_vectors(up_to=covered)
        size = len(graph.index)
        wanted = k
        while True:
            # Vectors that are gone may stand before the live ones: ask for more until enough live.
            matches = graph.index.search(
                np.asarray(grid, dtype=np.float32) / SCALE, min(wanted, size), threads=1
            )
            near = self._store.vectors_by_id([int(key) for key in np.asarray(matches.keys)])
            if len(near) >= min(k, live) or wanted >= size:
                break
            wanted = wanted * 4 + (size - live)
        rest = self._store.load_vectors(after=covered)
        found = _nearest(near, near.data.astype(np.float32), grid, k)
        found += _nearest(rest, rest.data.astype(np.float32), grid, k)
        found.sort(key=lambda item: (-item[1], item[2]))
        return found[:k]

    # ---------------------------------------------------------------- the file

    def _load_graph(self) -> _Graph | None:
        """The index of the file, None if there is none that can be trusted."""
        with self._guard:
            record = self._record()
            if record is None or not self._is_ours(record):
                return None
            if self._graph is None or self._graph.record != record:
                self._graph = self._read_graph(record)
            return self._graph

    def _record(self) -> CacheRecord | None:
        try:
            return CacheRecord(**json.loads(self.record_path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def _is_ours(self, record: CacheRecord) -> bool:
        return (
            record.identity == self._store.identity()
            and record.fingerprint == self._store.embedding_fingerprint()
            and record.usearch == _usearch_version()
        )

    def _read_graph(self, record: CacheRecord) -> _Graph | None:
        try:
            data = self.path.read_bytes()
        except OSError:
            return None
        # usearch believes what it reads: a flipped bit there is a crash, so none may get there.
        if hashlib.sha256(data).hexdigest() != record.sha256:
            return None
        try:
            index = import_usearch().Index.restore(data, expansion_search=EXPANSION_SEARCH)
        except (ImportError, RuntimeError, ValueError):
            return None
        if index is None or len(index) != record.count or index.ndim != record.dimensions:
            return None
        return _Graph(record, index)

    def fold_in(self, *, force: bool = False) -> bool:
        """Bring the file up to date if that is worth it; whether it was written.

        To be called after a run, better without the write lock: a first build takes seconds.
        Below the exact limit no file is needed, and one that is left over goes.
        """
        with self._store.snapshot():
            live = self._store.count_vectors()
            if live <= self._exact_limit:
                self.drop()
                return False
            graph = self._load_graph()
            if graph is not None and self._is_worn(graph):
                graph = None
            covered = graph.record.covered if graph is not None else 0
            rest = self._rows_after(covered)
            if graph is not None and not force and len(rest) < live * FOLD_SHARE:
                return False
        return self._write(graph, rest)

    def _is_worn(self, graph: _Graph) -> bool:
        dead = len(graph.index) - self._store.count_vectors(up_to=graph.record.covered)
        return dead > len(graph.index) * DEAD_SHARE

    def _rows_after(self, covered: int) -> Vectors:
        """Live and gone rows: a gone one may come back, and has the same number then."""
        import numpy as np

        live = self._store.load_vectors(after=covered)
        gone = self._store.load_vectors(gone=True, after=covered)
        if not len(gone):
            return live
        return Vectors(
            ids=np.concatenate([live.ids, gone.ids]),
            text_hashes=live.text_hashes + gone.text_hashes,
            data=np.concatenate([live.data, gone.data]) if len(live) else gone.data,
            floors=live.floors + gone.floors,
        )

    def _write(self, graph: _Graph | None, rest: Vectors) -> bool:
        import numpy as np

        from hebbs_index.quantized import SCALE

        try:
            usearch = import_usearch()
        except ImportError:
            return False
        index = graph.index.copy() if graph is not None else _new_index(usearch, rest)
        if len(rest):
            index.add(rest.ids, rest.data.astype(np.float32) / SCALE, threads=self._threads)
        data = bytes(index.save())
        before = graph.record.covered if graph is not None else 0
        record = CacheRecord(
            sha256=hashlib.sha256(data).hexdigest(),
            covered=int(rest.ids.max()) if len(rest) else before,
            count=len(index),
            dimensions=int(index.ndim),
            fingerprint=self._store.embedding_fingerprint(),
            identity=self._store.identity(),
            usearch=_usearch_version(),
        )
        replace_file(self.path, data)
        replace_file(self.record_path, json.dumps(asdict(record)).encode("utf-8"))
        with self._guard:
            self._graph = _Graph(record, index)
        return True

    def drop(self) -> None:
        """Throw the file away; the next `fold_in` builds it anew if it is needed."""
        with self._guard:
            self._graph = None
        self.record_path.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)

    def state(self) -> tuple[str, str]:
        """`ok`, `note` or `warning`, and a sentence: what can be said of the file."""
        record = self._record()
        if record is None and not self.path.exists() and not self.record_path.exists():
            return "ok", "no vector file; all searches are exact"
        if record is None:
            return "warning", f"{self.record_path.name} cannot be read"
        if not self._is_ours(record):
            return "note", f"{self.path.name} belongs to another model or database"
        if self._read_graph(record) is None:
            return "warning", f"{self.path.name} does not match its checksum"
        return "ok", f"{self.path.name} holds {record.count} vectors"


def _new_index(usearch: Any, vectors: Vectors) -> Any:
    return usearch.Index(
        ndim=vectors.data.shape[1],
        metric=usearch.MetricKind.Cos,
        dtype=usearch.ScalarKind.F16,
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
        expansion_search=EXPANSION_SEARCH,
    )


def _usearch_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("usearch")
    except PackageNotFoundError:
        return ""


def _nearest(
    vectors: Vectors, matrix: npt.NDArray[np.float32], grid: npt.NDArray[Any], k: int
) -> list[_Keyed]:
    """The `k` nearest of some vectors by exact products, nearest first, ties by text hash."""
    import numpy as np

    from hebbs_index.quantized import products, to_similarity

    if not len(vectors):
        return []
    dots = products(grid[None, :], matrix)[0]
    rows: Sequence[int] = range(len(dots))
    if k < len(dots):  # all that reach the k-th value, so that a tie is settled by key
        rows = np.flatnonzero(dots >= np.partition(dots, -k)[-k]).tolist()
    best = sorted(rows, key=lambda row: (-dots[row], vectors.text_hashes[row]))[:k]
    return [
        (int(vectors.ids[row]), to_similarity(float(dots[row])), vectors.text_hashes[row])
        for row in best
    ]
