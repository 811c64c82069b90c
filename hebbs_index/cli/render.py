"""What people read about statements: pending pairs, memories, answers, rulings, reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import click

from hebbs_index.cli.text import (
    clean,
    columns,
    count,
    date_of,
    emphasise_differences,
    place,
    short,
)
from hebbs_index.records import Judgement, Label, PendingContradiction, Signal, VerdictKind
from hebbs_index.reports import (
    CommitResult,
    Explanation,
    Listing,
    MemoryView,
    RecallHit,
    RulingView,
)

WHOLE = 300  # a shorter snippet is the whole statement; a longer one was cut to this
LABELS = {Label.CONFLICT: "conflict", Label.UPDATE: "update", Label.UNSURE: "unsure"}
SIGNALS = {
    "negation": "one side denies what the other says",
    "antonym": "opposite words",
    "numeric": "the numbers differ",
    "value": "another value for the same thing",
    "modality": "one requires, the other allows or forbids",
    "quantifier": "all against some or none",
    "date": "the dates differ",
    "status": "the states differ",
    "definition": "the same term is defined differently",
}


def pending_lines(
    pairs: Sequence[PendingContradiction], *, total: int | None = None
) -> Iterator[str]:
    """Every pair as a paragraph; says how many more there are if some are held back."""
    for number, pair in enumerate(pairs):
        if number:
            yield ""
        yield from pair_lines(pair)
    if total is not None and total > len(pairs):
        yield ""
        yield f"... and {total - len(pairs):,} more: hebbs contradiction-prepare"


def pair_lines(pair: PendingContradiction) -> Iterator[str]:
    """One pair: how sure and why, then both statements with where they stand."""
    label = LABELS.get(pair.label, str(pair.label))
    color = "red" if pair.label is Label.CONFLICT else "yellow"
    members = f"  ({count(len(pair.members), 'pair')} like it)" if len(pair.members) > 1 else ""
    yield (
        f"{click.style(label, fg=color, bold=True)} {pair.classifier_score:.2f}  "
        f"{short(pair.pending_id)}{members}"
    )
    a, b = emphasise_differences(pair.content_a_snippet, pair.content_b_snippet)
    for name, source, text in (("a", pair.source_a, a), ("b", pair.source_b, b)):
        yield f"  {name}  {click.style(place(source), fg='cyan')}{_heading(source.heading)}"
        yield f"       {text}"
    reasons = (signal_text(signal, pair) for signal in pair.signals)
    yield from dict.fromkeys(f"  {reason}" for reason in reasons)
    yield f"  {direction_text(pair)}"


def _heading(path: tuple[str, ...]) -> str:
    return f"  {clean(' > '.join(path))}" if path else ""


def signal_text(signal: Signal, pair: PendingContradiction | None = None) -> str:
    """A signal in plain words, with the words of a and of b that it is about."""
    detail = _signal_words(signal, pair) if pair else ""
    detail = detail or signal.detail
    meaning = SIGNALS.get(signal.name, signal.name)
    return f"{meaning}: {clean(detail)}" if detail else meaning


def _signal_words(signal: Signal, pair: PendingContradiction) -> str:
    """The words of both sides, where both snippets are whole so that the ranges hold."""
    sides = (
        (signal.span_a, pair.content_a_snippet),
        (signal.span_b, pair.content_b_snippet),
    )
    words = [text[span[0] : span[1]] for span, text in sides if span and len(text) < WHOLE]
    return " / ".join(words) if len(words) == len(sides) and all(words) else ""


def direction_text(pair: PendingContradiction) -> str:
    """Which side is newer and how that is known, or that nothing says so."""
    if pair.date_basis is None:
        return "nothing says which is newer"
    dates = [source.date for source in (pair.source_a, pair.source_b)]
    shown = f" ({dates[0] or 'undated'} before {dates[1] or 'undated'})" if any(dates) else ""
    advice = ""
    if pair.suggested_verdict is VerdictKind.REVISION:
        advice = "; a revision would let b supersede a"
    return f"b is newer by {pair.date_basis}{shown}{advice}"


def pair_line(pair: PendingContradiction) -> str:
    """A pair on one line, for a running log: both places, both texts."""
    return (
        f"{pair.label} {pair.classifier_score:.2f} {short(pair.pending_id)} "
        f'{place(pair.source_a)} "{clean(pair.content_a_snippet)}" <> '
        f'{place(pair.source_b)} "{clean(pair.content_b_snippet)}"'
    )


def raw_pairs(pairs: Iterable[PendingContradiction]) -> Iterator[str]:
    """Pairs as tab-separated fields: id, label, confidence, place and text of a and of b."""
    for pair in pairs:
        yield "\t".join(
            (
                pair.pending_id,
                str(pair.label),
                f"{pair.classifier_score:.2f}",
                place(pair.source_a),
                clean(pair.content_a_snippet),
                place(pair.source_b),
                clean(pair.content_b_snippet),
            )
        )


def listing_lines(rows: Sequence[Listing]) -> Iterator[str]:
    """Documents in columns, and why one could not be used."""
    table = [("path", "format", "statements", "date", "entity", "title")]
    table += [
        (
            clean(row.path),
            row.format,
            str(row.propositions),
            row.date or "-",
            clean(row.entity or "-"),
            clean(row.title),
        )
        for row in rows
    ]
    yield from columns(table)
    for row in rows:
        if row.problem:
            yield f"{clean(row.path)}: {clean(row.problem)}"


def memory_lines(memories: Sequence[MemoryView]) -> Iterator[str]:
    """Memories one below the other, each with its edges."""
    for number, memory in enumerate(memories):
        if number:
            yield ""
        yield f"{memory.kind} {memory.memory_id}  {click.style(place(memory.source), fg='cyan')}"
        yield f"  {clean(memory.content)}"
        if memory.entity_id:
            yield f"  about {clean(memory.entity_id)}"
        if memory.entities:
            yield f"  mentions {clean(', '.join(memory.entities))}"
        for title, others in (
            ("contested by", memory.contested_by),
            ("superseded by", memory.superseded_by),
        ):
            if others:
                yield f"  {click.style(title, fg='red')} {', '.join(map(short, others))}"
        for edge in memory.edges:
            arrow = {"out": "->", "in": "<-"}.get(edge.direction, "<->")
            note = f" ({clean(edge.note)})" if edge.note else ""
            yield f"  {arrow} {edge.kind}{note} {place(edge.source)} {clean(edge.content)}"


def hit_lines(hits: Sequence[RecallHit]) -> Iterator[str]:
    """Answers, the best first, each with where it stands and what speaks against it."""
    for hit in hits:
        similarity = "" if hit.similarity is None else f"  similarity {hit.similarity:.2f}"
        yield f"{click.style(place(hit.source), fg='cyan')}{similarity}  {short(hit.memory_id)}"
        yield f"  {clean(hit.content)}"
        for title, others in (
            ("contested by", hit.contested_by),
            ("superseded by", hit.superseded_by),
        ):
            if others:
                yield f"  {click.style(title, fg='red')} {', '.join(map(short, others))}"


def ruling_lines(rulings: Sequence[RulingView]) -> Iterator[str]:
    """Verdicts and open pairs, with who ruled when and why."""
    for number, ruling in enumerate(rulings):
        if number:
            yield ""
        verdict = ruling.verdict or "no verdict yet"
        sure = "" if ruling.confidence is None else f" {ruling.confidence:.2f}"
        when = f"  {ruling.author} {date_of(ruling.decided_at)}" if ruling.decided_at else ""
        yield f"{ruling.state}: {verdict}{sure}  {short(ruling.pending_id)}{clean_tail(when)}"
        a, b = emphasise_differences(ruling.content_a, ruling.content_b)
        yield f"  a  {click.style(place(ruling.source_a), fg='cyan')}  {a}"
        yield f"  b  {click.style(place(ruling.source_b), fg='cyan')}  {b}"
        if ruling.supersedes:
            older = "a" if ruling.supersedes == "b" else "b"
            yield f"  {ruling.supersedes} supersedes {older}"
        if ruling.reasoning:
            yield f"  because {clean(ruling.reasoning)}"


def clean_tail(text: str) -> str:
    """Clean a text that follows another, keeping the gap before it."""
    return f"  {clean(text)}" if text.strip() else ""


def commit_lines(result: CommitResult) -> Iterator[str]:
    """What a batch of verdicts did."""
    parts = [
        count(result.contradictions_confirmed, "contradiction") + " confirmed",
        count(result.revisions_created, "revision") + " created",
        f"{result.dismissed:,} dismissed",
    ]
    if result.already:
        parts.append(f"{result.already:,} already ruled so")
    yield ", ".join(parts) + "."
    for rejected in result.rejected:
        yield f"  not applied: {clean(rejected.pending_id)}: {clean(rejected.reason)}"


def explanation_lines(answer: Explanation) -> Iterator[str]:
    """Why a pair is, or is not, flagged: the decision, then every step to it."""
    a, b = emphasise_differences(answer.content_a, answer.content_b)
    yield f"a  {a}"
    yield f"b  {b}"
    flagged = "flagged" if answer.flagged else "not flagged"
    yield f"{flagged} ({answer.state}): {judgement_text(answer.judgement)}"
    met = ", ".join(answer.candidate_by) or "none: the two were never compared"
    similarity = "unknown" if answer.similarity is None else f"{answer.similarity:.2f}"
    yield f"  similarity {similarity}; candidate by {met}"
    yield from (f"  signal: {signal_text(signal)}" for signal in answer.judgement.signals)
    for guard in answer.judgement.guards:
        yield f"  held back by {guard.name}: {clean(guard.detail)}"
    for number, step in enumerate(answer.steps, start=1):
        yield f"  {number}. {clean(step)}"


def judgement_text(judgement: Judgement) -> str:
    """Label and confidence of a judgement."""
    return f"{judgement.label} with confidence {judgement.score:.2f}"
