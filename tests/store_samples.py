"""Small hand-made analyses, vectors and verdicts for the tests of the store."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hebbs_index import ids
from hebbs_index.journal import VERDICT, Event, new_event
from hebbs_index.quantized import quantize
from hebbs_index.records import (
    Claim,
    Dated,
    Document,
    FileAnalysis,
    FileProblem,
    FileStat,
    Judgement,
    Label,
    Link,
    Mention,
    Proposition,
    Quantity,
    Relation,
    Seen,
    Signal,
    Span,
    Term,
)
from hebbs_index.store import FlaggedPair, Store

DIMENSIONS = 16


def claim(text: str, *slots: str) -> Claim:
    """A claim that fills every kind of field."""
    words = tuple(text.split())
    return Claim(
        subject=Term(words[:1], words[0] if words else "", 0, 1),
        attribute=Term((), ""),
        value=Term(words[1:], " ".join(words[1:])),
        negation=(Term(("not",), "not", 2, 5),),
        quantities=(Quantity(5.0, "day", "duration", 0, 1, comparator=">=", text="5 days"),),
        scope=(("environment", "staging"),),
        slots=slots,
    )


def proposition(
    text: str,
    line: int,
    occurrence: int = 0,
    *,
    slots: Sequence[str] = (),
    declared: str | None = None,
    title: str = "",
    sentence: str | None = None,
    date: str | None = None,
) -> Proposition:
    """A proposition that says `text` on a line."""
    return Proposition(
        text=text,
        own_text=text,
        embed_text=f"{title}: {text}",
        kind="paragraph",
        span=Span(line * 100, line * 100 + len(text), line, line),
        heading_path=("Heading",),
        statement_key=ids.statement_key(text),
        sentence_key=ids.digest("sentence", sentence or text),
        occurrence=occurrence,
        entity=declared or (text.split() or ["?"])[0],
        declared_entity=declared,
        dated=Dated(date, "heading" if date else None),
        asserted=True,
        claims=(claim(text, *slots),),
        mentions=(Mention((text.split() or ["?"])[0].casefold(), text[:3], "term", 0, 3),),
    )


def analysis(
    path: str,
    *items: str | Proposition,
    title: str = "Title",
    links: Sequence[Link] = (),
    version: str = "v1",
    slots: Sequence[str] = (),
    problems: Sequence[FileProblem] = (),
) -> FileAnalysis:
    """The analysis of a file that says these things, one a line."""
    counted: Counter[str] = Counter()
    made: list[Proposition] = []
    for line, item in enumerate(items, start=1):
        if isinstance(item, str):
            item = proposition(item, line, counted[item], slots=slots, title=title)
        counted[item.text] += 1
        made.append(item)
    text = "\n".join(item.text for item in made)
    relations = (Relation("a", "is", "b", 0, len(made) - 1),) if len(made) > 1 else ()
    document = Document(
        path, title, text, "markdown", "utf-8", content_hash(text), None, {"title": title}, Dated()
    )
    return FileAnalysis(document, tuple(made), relations, tuple(links), version, tuple(problems))


def content_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def seen(path: str, text: str | None = "", *, mtime: int = 1) -> Seen:
    """A file as a scan sees it; its content hash is that of `text`, None for unreadable."""
    stat = FileStat(len(text or ""), mtime * 1_000_000_000, mtime * 1_000_000_000, 2**63 + 7)
    return Seen(path, stat, None if text is None else content_hash(text), 5, (2**64 - 1, 3))


def vector(text: str) -> bytes:
    """A made-up grid vector that depends on the text alone."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big")
    made = np.random.default_rng(seed).standard_normal(DIMENSIONS)
    return quantize((made / np.linalg.norm(made))[None])[0].tobytes()


def vectors_of(given: FileAnalysis) -> dict[str, bytes]:
    return {ids.text_hash(p.embed_text): vector(p.embed_text) for p in given.propositions}


def born(path: str) -> str:
    return ids.document_id(path, 0)


def write(
    store: Store, path: str, *items: str | Proposition, document: str | None = None, **options: Any
) -> Any:
    """Index a file with vectors, as an update would."""
    given = analysis(path, *items, **options)
    there = seen(path, given.document.text)
    return store.write_file(there, given, document or born(path), vectors_of(given))


def statement_ids(store: Store) -> dict[str, int]:
    return {statement.text: statement.id for statement in store.statements()}


def flag(store: Store, a: str, b: str, score: float = 0.5) -> FlaggedPair:
    """A flagged pair of two statements by their texts."""
    by_text = {statement.text: statement for statement in store.statements()}
    first, second = by_text[a], by_text[b]
    key = ids.pair_key(
        first.statement_key, first.declared_entity, second.statement_key, second.declared_entity
    )
    judgement = Judgement(Label.CONFLICT, score, (Signal("negation", (0, 1), None, "why"),))
    return FlaggedPair(key, first.id, second.id, judgement, 0.8)


def save_flags(store: Store, *pairs: FlaggedPair) -> None:
    """Check everything, with these pairs as the outcome."""
    numbers = [statement.id for statement in store.statements()]
    gone = [int(number) for number in store.load_vectors(gone=True).ids]
    sizes = {slot.name: slot.size for slot in store.dirty_slots()}
    saved = store.save_check(
        store.generation(),
        checked=numbers,
        touched=numbers,
        pending=pairs,
        dropped=gone,
        slot_sizes=sizes,
    )
    assert saved


def verdict(
    store: Store,
    pair: FlaggedPair,
    kind: str = "contradiction",
    *,
    time_us: int = 1000,
    supersedes: str | None = None,
) -> Event:
    """The event of a verdict on a flagged pair; its side a is the pair's first statement."""
    places = store.occurrences([pair.statement_a, pair.statement_b])
    body = {
        "pair_key": pair.pair_key,
        "verdict": kind,
        "confidence": 0.9,
        "reasoning": f"because of {kind}",
        "supersedes": supersedes,
    }
    for side, number in (("a", pair.statement_a), ("b", pair.statement_b)):
        memory = places[number][0]
        body[side] = {
            "statement_key": memory.statement_key,
            "entity": memory.declared_entity or "",
            "sentence_key": memory.sentence_key,
            "content": memory.content,
            "path": memory.source.path,
        }
    return new_event(VERDICT, body, author="me", time_us=time_us)


def tree_bytes(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.is_file()}
