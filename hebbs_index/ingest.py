"""Read changed files into the store: parse, analyze, embed, one transaction a file.

Two windows are under way at once: while the language model reads one, the texts of the
window before are embedded in the background. Memory is bounded by a window, not by
the corpus. Whatever dies here leaves every file either as it was or as it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from hebbs_index import ids
from hebbs_index.errors import ModelUnavailable
from hebbs_index.layers.analyze import analyze_files
from hebbs_index.layers.parse import Unparsable, parse
from hebbs_index.quantized import quantize
from hebbs_index.records import FileAnalysis, FileProblem, ParsedFile, Proposition, Seen
from hebbs_index.reports import Progress
from hebbs_index.watch.scan import read_file
from hebbs_index.workspace import Report, Workspace

FIRST_WINDOW = 150  # propositions; small, so that no core waits long for something to embed
WINDOW = 1200  # later ones double up to this: enough that batches fill at every length
MANY = 10  # files among which some text is new for certain, so that the model is needed
AHEAD = 6000  # texts that may wait for the embedding model: some 10 MB with their files


@dataclass(slots=True)
class Ingested:
    """What became of the files handed in."""

    files_read: int = 0
    files_analyzed: int = 0
    added: int = 0
    removed: int = 0
    vanished: int = 0  # files that were gone when they were to be read
    problems: list[FileProblem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Window:
    analyses: Sequence[FileAnalysis]
    hashes: Sequence[str]  # of the texts being embedded
    vectors: Future[Any] | None

    @property
    def ready(self) -> bool:
        """Whether it can be written without waiting."""
        return self.vectors is None or self.vectors.done()


def ingest(
    workspace: Workspace, documents: Mapping[str, str], version: str, report: Report
) -> Ingested:
    """Index the given files; `documents` maps each path to its document id."""
    return _Ingest(workspace, documents, version, report).run()


class _Ingest:
    def __init__(
        self, workspace: Workspace, documents: Mapping[str, str], version: str, report: Report
    ) -> None:
        self._workspace = workspace
        self._documents = documents
        self._version = version
        self._report = report
        self._seen: dict[str, Seen] = {}
        self._embedding: set[str] = set()  # hashes of texts whose vectors are on their way
        self._outcome = Ingested()
        self._done = 0

    def run(self) -> Ingested:
        if not self._documents:
            return self._outcome
        if len(self._documents) >= MANY:
            self._workspace.models.load_embedder_ahead()
        waiting: deque[_Window] = deque()
        for analyses in self._windows():
            waiting.append(self._start(analyses))
            while waiting and (waiting[0].ready or _size(waiting) > AHEAD):
                self._finish(waiting.popleft())
        while waiting:
            self._finish(waiting.popleft())
        return self._outcome

    def _windows(self) -> Iterator[list[FileAnalysis]]:
        window: list[FileAnalysis] = []
        size, full = 0, FIRST_WINDOW
        folders = self._workspace.config.corpus.entity_folders
        language = self._workspace.models.language()
        for result in analyze_files(self._parsed(), language, entity_folders=folders):
            if isinstance(result, FileProblem):
                self._unusable(self._seen.pop(result.path), result)
                continue
            self._outcome.files_analyzed += 1
            window.append(replace(result, version=self._version))
            size += len(result.propositions)
            if size >= full:
                yield window
                window, size, full = [], 0, min(2 * full, WINDOW)
        if window:
            yield window

    def _parsed(self) -> Iterator[ParsedFile]:
        limit = self._workspace.max_file_bytes
        for path in self._documents:
            data, seen = read_file(self._workspace.root, path, max_bytes=limit)
            self._outcome.files_read += 1
            if data is None:
                self._unread(seen)
                continue
            self._seen[path] = seen
            try:
                yield parse(path, data)
            except Unparsable as error:
                self._unusable(seen, error.problem)

    def _start(self, analyses: list[FileAnalysis]) -> _Window:
        embedder = self._workspace.models.embedder()
        if embedder is None:
            return _Window(analyses, (), None)
        texts = _texts(analyses)
        missing = self._workspace.store.missing_vectors(texts)
        missing -= self._embedding
        hashes = [key for key in texts if key in missing]
        self._embedding.update(hashes)
        future = embedder.submit([texts[key] for key in hashes]) if hashes else None
        return _Window(analyses, hashes, future)

    def _finish(self, window: _Window) -> None:
        vectors = self._vectors(window)
        for analysis in window.analyses:
            path = analysis.document.path
            wanted = {ids.text_hash(p.embed_text) for p in analysis.propositions}
            own = {key: vectors[key] for key in wanted & vectors.keys()}
            with self._workspace.writing():
                change = self._workspace.store.write_file(
                    self._seen.pop(path), analysis, self._documents[path], own
                )
            self._outcome.added += len(change.added)
            self._outcome.removed += len(change.removed)
            self._outcome.problems.extend(analysis.problems)
            self._step(path)

    def _vectors(self, window: _Window) -> Mapping[str, bytes]:
        if window.vectors is None:
            return {}
        self._embedding.difference_update(window.hashes)
        try:
            rows = quantize(window.vectors.result())
        except ModelUnavailable as error:
            # The files are worth having without vectors; the next run embeds what is left.
            self._outcome.problems.append(FileProblem("", "embed", str(error)))
            return {}
        return {key: row.tobytes() for key, row in zip(window.hashes, rows, strict=True)}

    def _unread(self, seen: Seen) -> None:
        """A file that cannot be read keeps its old records; one that is gone is the next pass's."""
        if seen.problem is None:
            self._outcome.vanished += 1
            self._step(seen.path)
            return
        with self._workspace.writing():
            self._workspace.store.record_problem(seen, [seen.problem])
        self._outcome.problems.append(seen.problem)
        self._step(seen.path)

    def _unusable(self, seen: Seen, problem: FileProblem) -> None:
        """The text that the old records came from is there no more, so they go."""
        with self._workspace.writing():
            self._workspace.store.record_problem(
                seen, [problem], version=self._version, keep_records=False
            )
        self._outcome.problems.append(problem)
        self._step(seen.path)

    def _step(self, path: str) -> None:
        self._done += 1
        self._report(Progress("analyze", self._done, len(self._documents), path))


def _size(waiting: Iterable[_Window]) -> int:
    return sum(len(window.hashes) for window in waiting)


def _texts(analyses: Sequence[FileAnalysis]) -> dict[str, str]:
    propositions: Iterator[Proposition] = (p for a in analyses for p in a.propositions)
    return {ids.text_hash(p.embed_text): p.embed_text for p in propositions}
