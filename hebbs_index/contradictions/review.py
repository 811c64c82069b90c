"""The review queue: what is pending, and what a verdict does.

Pending is what the check flags and nobody has ruled on. A verdict goes into the journal
first and is applied from there, so it outlives the database. Nothing here is ever
changed on a heuristic.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hebbs_index.contradictions.judge import judge
from hebbs_index.contradictions.present import order_of, snippet, suggest, swapped
from hebbs_index.errors import InputError
from hebbs_index.records import Judgement, PendingContradiction, Source, Statement
from hebbs_index.reports import RulingView
from hebbs_index.store import FlaggedPair, Memory, Ruling, Store

METHOD = "heuristic"
SHORTEST_ID = 6  # digits of an id that are taken for it


@dataclass(frozen=True, slots=True)
class ShownPair:
    """A flagged pair with the two memories that stand for its statements, older first."""

    pair: FlaggedPair
    a: Memory
    b: Memory
    basis: str | None
    judgement: Judgement  # with its sides as shown


def open_pairs(store: Store) -> list[FlaggedPair]:
    """All flagged pairs without a ruling, ordered by pair key."""
    return store.flagged_pairs(open_only=True)


def show(store: Store, pairs: Iterable[FlaggedPair]) -> list[ShownPair]:
    """Choose the memories that stand for each pair and put the older first.

    The pairs must be of the state that is read here: take both in one `store.snapshot()`.
    """
    pairs = list(pairs)
    numbers = {number for pair in pairs for number in (pair.statement_a, pair.statement_b)}
    places = store.occurrences(numbers)
    statements = {statement.id: statement for statement in store.statements(numbers)}
    return [_show(pair, places, statements) for pair in pairs]


def _show(
    pair: FlaggedPair,
    places: Mapping[int, Sequence[Memory]],
    statements: Mapping[int, Statement],
) -> ShownPair:
    first = _representative(places[pair.statement_a])
    second = _representative(places[pair.statement_b])
    keys = (first.statement_key, second.statement_key)
    order = order_of(first.dated, second.dated, pair.judgement, keys=keys)
    if not order.swap:
        return ShownPair(pair, first, second, order.basis, pair.judgement)
    return ShownPair(pair, second, first, order.basis, _turned(pair, statements))


def _turned(pair: FlaggedPair, statements: Mapping[int, Statement]) -> Judgement:
    """The judgement from the other side: its details name the words in the order shown."""
    turned = swapped(pair.judgement)
    a, b = statements[pair.statement_a], statements[pair.statement_b]
    again = judge(b.claims, a.claims, text_a=b.text, text_b=a.text, similarity=pair.similarity)
    if [s.name for s in again.signals] != [s.name for s in turned.signals]:
        return turned  # judged by another version of the detector: what was found stays
    return replace(turned, signals=again.signals, guards=again.guards)


def _representative(occurrences: Sequence[Memory]) -> Memory:
    """The occurrence stated last; among equals the first by place."""
    newest = max((m.dated.date or "") for m in occurrences)
    candidates = [m for m in occurrences if (m.dated.date or "") == newest]
    return min(candidates, key=lambda m: (m.source.path, m.source.line_start, m.id))


def present(store: Store, pairs: Iterable[FlaggedPair]) -> tuple[PendingContradiction, ...]:
    """Pending records, best first: by confidence, then by place."""
    records = [_record(shown) for shown in show(store, pairs)]
    records.sort(
        key=lambda r: (-r.classifier_score, r.source_a.path, r.source_a.line_start, r.pending_id)
    )
    return tuple(records)


def _record(shown: ShownPair) -> PendingContradiction:
    pair = shown.pair
    judgement = shown.judgement
    spans_a = tuple(s.span_a for s in judgement.signals if s.span_a)
    spans_b = tuple(s.span_b for s in judgement.signals if s.span_b)
    return PendingContradiction(
        pending_id=pair.pair_key,
        memory_id_a=shown.a.id,
        memory_id_b=shown.b.id,
        content_a_snippet=snippet(shown.a.content, spans_a),
        content_b_snippet=snippet(shown.b.content, spans_b),
        classifier_score=round(judgement.score, 4),
        classifier_method=METHOD,
        similarity=None if pair.similarity is None else round(pair.similarity, 4),
        label=judgement.label,
        suggested_verdict=suggest(judgement.label),
        signals=judgement.signals,
        source_a=shown.a.source,
        source_b=shown.b.source,
        date_basis=shown.basis,
        cluster_id=pair.pair_key,
        members=(pair.pair_key,),
        created_at=pair.found_us,
    )


def queue(
    store: Store, *, paths: Collection[str] = (), min_confidence: float | None = None
) -> list[PendingContradiction]:
    """What waits for a verdict, best first, narrowed to some paths and a least confidence."""
    with store.snapshot():
        records = present(store, open_pairs(store))
    return narrow(records, paths=paths, min_confidence=min_confidence)


def below(path: str, wanted: Collection[str]) -> bool:
    """Whether a path is one of some files or lies below one of some folders ('' is the root)."""
    return any(not w or w == "." or path == w or path.startswith(f"{w}/") for w in wanted)


def narrow(
    records: Iterable[PendingContradiction],
    *,
    paths: Collection[str] = (),
    min_confidence: float | None = None,
) -> list[PendingContradiction]:
    """Keep records of which one side lies below the paths, with at least that confidence."""
    return [
        record
        for record in records
        if (not paths or below(record.source_a.path, paths) or below(record.source_b.path, paths))
        and (min_confidence is None or record.classifier_score >= min_confidence)
    ]


# ---------------------------------------------------------------- rulings


def all_views(store: Store) -> list[RulingView]:
    """Open pairs first, then every ruling in force, newest first."""
    with store.snapshot():
        views = [_open_view(shown) for shown in show(store, open_pairs(store))]
        return views + [ruling_view(ruling) for ruling in store.rulings()]


def _open_view(shown: ShownPair) -> RulingView:
    return RulingView(
        pending_id=shown.pair.pair_key,
        state="open",
        verdict=None,
        confidence=None,
        reasoning="",
        author="",
        decided_at=None,
        supersedes=None,
        content_a=shown.a.content,
        content_b=shown.b.content,
        source_a=shown.a.source,
        source_b=shown.b.source,
    )


def ruling_view(ruling: Ruling) -> RulingView:
    """A ruling as it is listed, with both statements as they were when it was made."""
    return RulingView(
        pending_id=ruling.pair_key,
        state=ruling.state,
        verdict=str(ruling.verdict),
        confidence=ruling.confidence,
        reasoning=ruling.reasoning,
        author=ruling.author,
        decided_at=ruling.decided_us,
        supersedes=ruling.supersedes,
        content_a=ruling.a.content,
        content_b=ruling.b.content,
        source_a=_place(ruling.a.place),
        source_b=_place(ruling.b.place),
    )


def _place(place: Mapping[str, object]) -> Source | None:
    path, start, end = place.get("path"), place.get("line_start"), place.get("line_end")
    if not isinstance(path, str) or not isinstance(start, int) or not isinstance(end, int):
        return None
    heading = place.get("heading")
    date = place.get("date")
    return Source(
        path,
        start,
        end,
        tuple(str(h) for h in heading) if isinstance(heading, list) else (),
        date if isinstance(date, str) else None,
    )


def resolve_id(given: str, known: Collection[str]) -> str:
    """The one known id that starts with what was given (`SHORTEST_ID` digits at least).

    Raises InputError if none or several do.
    """
    if given in known:
        return given
    if len(given) >= SHORTEST_ID:
        matches = [key for key in known if key.startswith(given)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise InputError(f"{given} fits {len(matches)} pending ids; type more of it")
    raise InputError(
        f"no pending contradiction or ruling has the id {given!r}",
        hint="`hebbs contradictions` lists them all.",
    )
