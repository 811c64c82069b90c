"""Compare changed statements with what they may contradict, and keep the flagged pairs.

The set of flagged pairs is a function of the statements in the store: no order of
arrival, no earlier check shows in it. A pass looks up every statement that is
unchecked or whose neighbours may have changed, finds all of its candidates anew by both
roads (near vectors, shared slots), and replaces its flagged pairs in one transaction. A
pass that dies leaves its statements unchecked, so the next one does it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from hebbs_index import ids
from hebbs_index.config import ContradictionConfig
from hebbs_index.contradictions.candidates import (
    Neighbours,
    VectorSpace,
    concerned,
    exact_rows,
    look_up,
)
from hebbs_index.contradictions.judge import DETECTOR_VERSION, flagged, judge
from hebbs_index.quantized import products, to_similarity
from hebbs_index.records import Judgement, Statement
from hebbs_index.reports import Progress
from hebbs_index.store import FlaggedPair, Slot, Store, Vectors
from hebbs_index.workspace import Report, Workspace

SLOT_LIMIT = 60
"""A slot that more statements share names no one thing; it is no road then."""

OWN_LIMIT = 5
"""A field that more statements give for the document they stand in is each document's own."""

COUNTED = "~"
"""Begins a slot that only counts, see `layers.claim_parts.slots`."""

SHORT_SECONDS = 2.0  # of holding the write lock; others wait for it five times as long

Pair = tuple[int, int]


@dataclass(slots=True)
class Checked:
    """What a check pass did."""

    statements: int = 0
    pairs: int = 0


@dataclass(slots=True)
class _Pass:
    """The statements of one pass and their candidates."""

    statements: set[int]
    pairs: dict[Pair, float | None] = field(default_factory=dict)
    floors: Mapping[int, tuple[float, str] | None] = field(default_factory=dict)


def settings_key(config: ContradictionConfig) -> str:
    """What decides which pairs are flagged; when it changes, everything is checked again."""
    return ids.digest(
        "check",
        DETECTOR_VERSION,
        str(config.enabled),
        str(config.candidates_k),
        repr(config.min_similarity),
        repr(config.min_confidence),
        str(SLOT_LIMIT),
        str(OWN_LIMIT),
    )


def check(workspace: Workspace, report: Report) -> Checked:
    """Check everything unchecked, without a lock while it thinks.

    If another process writes meanwhile, it starts over: under the lock if thinking took so
    little that others can wait for it, else as often as it takes, and whoever
    writes that much checks for itself.
    """
    store = workspace.store
    key = settings_key(workspace.config.contradiction)
    if store.check_settings() != key:
        with workspace.writing():
            store.reset_checks(key)
    done = Checked()
    while True:
        started = time.monotonic()
        if _check_once(workspace, done, report):
            return done
        if time.monotonic() - started < SHORT_SECONDS:
            with workspace.writing():
                _check_once(workspace, done, report)
            return done


def _check_once(workspace: Workspace, done: Checked, report: Report) -> bool:
    store, config = workspace.store, workspace.config.contradiction
    generation = store.generation()
    unchecked = set(store.unchecked_statement_ids())
    slots = store.dirty_slots()
    gone = store.load_vectors(gone=True)
    if not unchecked and not slots and not len(gone):
        return True
    job = _Pass(unchecked | _members_of_crossed(store, slots))
    found: list[FlaggedPair] = []
    if config.enabled:
        _find_candidates(store, config, job, gone)
        found = list(_judge_all(store, config, job, report))
    with workspace.writing():
        saved = store.save_check(
            generation,
            checked=job.statements,
            touched=job.statements,
            pending=found,
            floors=job.floors,
            dropped=[int(vector) for vector in gone.ids],
            slot_sizes={slot.name: slot.size for slot in slots},
        )
    if saved:
        done.statements += len(job.statements)
        done.pairs += len(job.pairs)
    return saved


def _members_of_crossed(store: Store, slots: Sequence[Slot]) -> set[int]:
    """Members of slots that became a road or ceased to be one."""
    crossed = [
        slot.name
        for slot in slots
        if (slot.checked_size <= limit_of(slot.name)) != (slot.size <= limit_of(slot.name))
    ]
    return {member for members in store.slot_members(crossed).values() for member in members}


def _find_candidates(store: Store, config: ContradictionConfig, job: _Pass, gone: Vectors) -> None:
    space, by_vector = _vector_space(store)
    neighbours = _look_up_vectors(config, job, space, by_vector, gone)
    job.floors = neighbours.floors
    for vector in neighbours.looked_up:
        job.statements.update(by_vector.get(vector, ()))
    for (first, second), similarity in neighbours.pairs.items():
        for a in by_vector.get(first, ()):
            for b in by_vector.get(second, ()):
                job.pairs[min(a, b), max(a, b)] = similarity
    _add_slot_pairs(store, job, space, by_vector)


def _vector_space(store: Store) -> tuple[VectorSpace, Mapping[int, Sequence[int]]]:
    vectors = store.load_vectors()
    matrix = vectors.data.astype(np.float32)
    space = VectorSpace(vectors.ids, vectors.text_hashes, matrix, vectors.floors)
    return space, store.statements_by_vector()


def _look_up_vectors(
    config: ContradictionConfig,
    job: _Pass,
    space: VectorSpace,
    by_vector: Mapping[int, Sequence[int]],
    gone: Vectors,
) -> Neighbours:
    wanted = {v for v, statements in by_vector.items() if not job.statements.isdisjoint(statements)}
    rows = {row for row, vector in enumerate(space.ids) if int(vector) in wanted}
    if len(rows) * 2 < len(space.ids):
        here = sorted(rows)
        changed = space.matrix[here]
        keys = [space.keys[row] for row in here]
        if len(gone):
            changed = np.concatenate([changed, gone.data.astype(np.float32)])
            keys += list(gone.text_hashes)
        rows |= concerned(space, changed, keys, config.min_similarity)
    else:
        rows = set(range(len(space.ids)))  # nearly everything changed: a look-up of all is cheaper
    near = exact_rows(space.matrix, config.min_similarity)
    return look_up(space, sorted(rows), k=config.candidates_k, near=near)


def _add_slot_pairs(
    store: Store, job: _Pass, space: VectorSpace, by_vector: Mapping[int, Sequence[int]]
) -> None:
    slots = {
        slot
        for own in store.slots_of(job.statements).values()
        for slot in own
        if not slot.startswith(COUNTED)
    }
    members = store.slot_members(slots)
    pairs = {
        pair
        for group in members.values()
        if len(group) <= SLOT_LIMIT
        for pair in combinations(sorted(group), 2)
        if not job.statements.isdisjoint(pair)
    }
    vector_of = {s: v for v, statements in by_vector.items() for s in statements}
    row_of = {int(vector): row for row, vector in enumerate(space.ids)}
    for a, b in sorted(pairs - job.pairs.keys()):
        rows = [row_of.get(vector_of.get(statement, -1)) for statement in (a, b)]
        job.pairs[a, b] = _similarity(space, rows[0], rows[1])


def _similarity(space: VectorSpace, first: int | None, second: int | None) -> float | None:
    if first is None or second is None:
        return None
    return to_similarity(float(products(space.matrix[[first]], space.matrix[[second]])[0, 0]))


def _judge_all(
    store: Store, config: ContradictionConfig, job: _Pass, report: Report
) -> Iterator[FlaggedPair]:
    wanted = {statement for pair in job.pairs for statement in pair}
    statements = {s.id: s for s in store.statements(wanted) if s.claims}
    crowded = crowded_slots(store, statements.values())
    total = len(job.pairs)
    for number, ((a, b), similarity) in enumerate(job.pairs.items(), start=1):
        if number % 2000 == 0 or number == total:
            report(Progress("check", number, total))
        if a in statements and b in statements:
            if shares_crowded(statements[a], statements[b], crowded):
                continue
            yield from _judge_pair(config, statements[a], statements[b], similarity)


def limit_of(slot: str) -> int:
    """How many statements may share a slot before it means something else."""
    return OWN_LIMIT if slot.startswith(COUNTED) else SLOT_LIMIT


def crowded_slots(store: Store, statements: Iterable[Statement]) -> frozenset[str]:
    """Attributes that so many documents give for themselves that each has its own."""
    counted = {slot for s in statements for slot in counting_slots(s)}
    members = store.slot_members(counted)
    return frozenset(slot for slot, group in members.items() if len(group) > OWN_LIMIT)


def counting_slots(statement: Statement) -> frozenset[str]:
    """The slots of a statement that only count."""
    return frozenset(s for c in statement.claims for s in c.slots if s.startswith(COUNTED))


def shares_crowded(a: Statement, b: Statement, crowded: frozenset[str]) -> bool:
    """Whether two statements give the same field, each for its own document, as many others do."""
    return bool(counting_slots(a) & counting_slots(b) & crowded)


def _judge_pair(
    config: ContradictionConfig, first: Statement, second: Statement, similarity: float | None
) -> Iterator[FlaggedPair]:
    if first.statement_key == second.statement_key:
        return  # the same words cannot disagree with themselves
    a, b = in_key_order(first, second)
    judgement = judge_statements(a, b, similarity)
    if flagged(judgement, config.min_confidence):
        yield FlaggedPair(pair_of(a, b), a.id, b.id, judgement, similarity)


def in_key_order(first: Statement, second: Statement) -> tuple[Statement, Statement]:
    """Put two statements in the order in which they are always judged."""
    keys = [(s.statement_key, s.declared_entity or "", s.id) for s in (first, second)]
    return (first, second) if keys[0] <= keys[1] else (second, first)


def pair_of(a: Statement, b: Statement) -> str:
    """The key under which a verdict about two statements is kept."""
    return ids.pair_key(a.statement_key, a.declared_entity, b.statement_key, b.declared_entity)


def judge_statements(a: Statement, b: Statement, similarity: float | None) -> Judgement:
    """Judge two statements; different declared entities are different subjects."""
    return judge(a.claims, b.claims, text_a=a.text, text_b=b.text, similarity=similarity)
