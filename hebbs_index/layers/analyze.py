"""Parsed files in, analysed files out: the layers run over many files at once.

The texts of several files are read by the language model in one stream, each distinct
text once, since that is where the time goes. What comes out for a file depends on that file
alone, never on its neighbours in the stream, and a file that breaks something costs only
itself. Memory is bounded by a window of files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from hebbs_index import ids
from hebbs_index.layers.documents import make_document
from hebbs_index.layers.drafts import PropositionDraft
from hebbs_index.layers.entities import find_entities
from hebbs_index.layers.nlp import LanguageModel
from hebbs_index.layers.passages import Frame, Passage
from hebbs_index.layers.propositions import drafts_of, passages_of
from hebbs_index.records import (
    Document,
    FileAnalysis,
    FileProblem,
    Link,
    Mention,
    ParsedFile,
    Proposition,
)

ANALYSIS_VERSION = "2"
"""Of the rules in `layers`: another one makes every file be analysed anew."""

WINDOW_CHARACTERS = 40_000
"""Text that is read before results are given out; its `Doc`s take some 40 MB."""


@dataclass(frozen=True, slots=True)
class _Started:
    """A file cut into passages, waiting for the language model."""

    parsed: ParsedFile
    document: Document
    frame: Frame
    passages: list[Passage]

    def texts(self) -> Iterator[str]:
        for passage in self.passages:
            yield passage.read
            if passage.lead:
                yield passage.lead


def analyze_files(
    parsed: Iterable[ParsedFile],
    language: LanguageModel,
    *,
    entity_folders: tuple[str, ...] = (),
) -> Iterator[FileAnalysis | FileProblem]:
    """Run the layers over files; results come in the order of the files.

    A file on which the layers fail gives a `FileProblem` of stage `analyze`.
    """
    window: list[_Started | FileProblem] = []
    size = 0
    for file in parsed:
        window.append(_start(file, entity_folders))
        size += len(file.text)
        if size >= WINDOW_CHARACTERS:
            yield from _finish_window(window, language)
            window, size = [], 0
    yield from _finish_window(window, language)


def _start(parsed: ParsedFile, entity_folders: tuple[str, ...]) -> _Started | FileProblem:
    try:
        document = make_document(parsed, entity_folders=entity_folders)
        frame, passages = passages_of(parsed, document)
    except Exception as error:  # one odd file must not stop a run over thousands
        return _problem(parsed, error)
    return _Started(parsed, document, frame, passages)


def _finish_window(
    window: list[_Started | FileProblem], language: LanguageModel
) -> Iterator[FileAnalysis | FileProblem]:
    started = [file for file in window if isinstance(file, _Started)]
    try:
        docs = _read(started, language)
    except Exception:  # find out below which file it was
        docs = {}
    for file in window:
        yield _finish(file, docs, language) if isinstance(file, _Started) else file


def _read(files: Iterable[_Started], language: LanguageModel) -> dict[str, Any]:
    """What the language model makes of every distinct text of some files."""
    texts = list(dict.fromkeys(text for file in files for text in file.texts()))
    return dict(zip(texts, language.pipe(texts), strict=True)) if texts else {}


def _finish(
    file: _Started, docs: dict[str, Any], language: LanguageModel
) -> FileAnalysis | FileProblem:
    try:
        return _analysis(file, docs or _read([file], language), language)
    except Exception as error:  # one odd file must not stop a run over thousands
        return _problem(file.parsed, error)


def _problem(parsed: ParsedFile, error: Exception) -> FileProblem:
    return FileProblem(parsed.path, "analyze", f"{type(error).__name__}: {error}")


def _analysis(file: _Started, docs: dict[str, Any], language: LanguageModel) -> FileAnalysis:
    drafts = [
        draft
        for passage in file.passages
        for draft in drafts_of(
            passage,
            docs[passage.read],
            file.frame,
            has_parser=language.has_parser,
            lead=docs[passage.lead] if passage.lead else None,
        )
    ]
    entities = find_entities(drafts, has_parser=language.has_parser)
    return FileAnalysis(
        document=file.document,
        propositions=tuple(_propositions(drafts, entities.mentions, entities.main)),
        relations=entities.relations,
        links=tuple(_links_to_files(file.parsed)),
        version=f"{ANALYSIS_VERSION}+{language.version}",
        problems=file.parsed.problems,
    )


def _propositions(
    drafts: list[PropositionDraft],
    mentions: tuple[tuple[Mention, ...], ...],
    main: tuple[str | None, ...],
) -> Iterator[Proposition]:
    from hebbs_index.layers.claim_parts.cells import numbered_cells
    from hebbs_index.layers.claims import extract_claims

    seen: Counter[str] = Counter()
    claimed = numbered_cells([extract_claims(draft) for draft in drafts])
    for draft, names, entity, claims in zip(drafts, mentions, main, claimed, strict=True):
        key = ids.statement_key(draft.own_text, draft.context)
        yield Proposition(
            text=draft.text,
            own_text=draft.own_text,
            embed_text=draft.embed_text or draft.text,
            kind=draft.kind.value,
            span=draft.span,
            heading_path=draft.heading_path,
            statement_key=key,
            sentence_key=ids.statement_key(draft.sentence, draft.sentence_context),
            occurrence=seen[key],
            entity=draft.declared_entity or entity,
            declared_entity=draft.declared_entity,
            dated=draft.dated,
            asserted=draft.asserted,
            claims=claims,
            mentions=names,
        )
        seen[key] += 1


def _links_to_files(parsed: ParsedFile) -> Iterator[Link]:
    """The links that may lead to a file of the corpus, as written: a moved file keeps them."""
    for block in parsed.blocks:
        for link in block.links:
            if link.target and not _leaves_corpus(link.target):
                yield link


def _leaves_corpus(target: str) -> bool:
    """Whether a target is an address: "https:...", "mailto:...", "//host"."""
    scheme, colon, _ = target.partition(":")
    return target.startswith("//") or (
        bool(colon) and len(scheme) > 1 and scheme.replace("+", "").replace("-", "").isalnum()
    )
