"""What the facade answers: one frozen record a command, rendered by the surfaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hebbs_index.records import FileProblem, Judgement, PendingContradiction, Plan, Source


@dataclass(frozen=True, slots=True)
class Counters:
    """Deterministic counts of the work one run did, asserted in tests and shown in status."""

    files_seen: int = 0
    files_read: int = 0
    files_analyzed: int = 0
    language_texts: int = 0  # texts run through the spaCy pipeline
    embedded_texts: int = 0  # distinct texts run through the embedding model
    statements_checked: int = 0
    pairs_judged: int = 0


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What an index run did."""

    plan: Plan
    dry_run: bool
    problems: tuple[FileProblem, ...]
    documents: int  # in the index afterwards
    propositions: int  # in the index afterwards
    propositions_added: int
    propositions_removed: int
    new_pending: tuple[PendingContradiction, ...]
    pending: int  # open afterwards
    counters: Counters
    seconds: float
    off: tuple[str, ...] = ()  # what is switched off or missing, a sentence each


@dataclass(frozen=True, slots=True)
class Progress:
    """A step of an index run, for a progress bar: `done` of `total` units of a `stage`."""

    stage: str  # scan, analyze, embed, check
    done: int
    total: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of an index."""

    root: str
    documents: int
    propositions: int
    statements: int
    vectors: int
    entities: int
    edges: Mapping[str, int]
    pending: int
    rulings: Mapping[str, int]
    unmatched_rulings: int
    unchecked: int
    problems: tuple[FileProblem, ...]
    last_run: Mapping[str, Any]  # time, seconds and counters of the last index run
    watcher: Mapping[str, Any] | None  # pid, host, heartbeat of a running watcher
    models: Mapping[str, str]  # language and embedding: fingerprint or why they are off
    off: tuple[str, ...]
    schema_version: int


@dataclass(frozen=True, slots=True)
class Listing:
    """A row of `hebbs list`."""

    document_id: str
    path: str
    title: str
    format: str
    entity: str | None
    date: str | None
    propositions: int
    problem: str | None


@dataclass(frozen=True, slots=True)
class EdgeView:
    """An edge seen from one memory: the other end and its text."""

    kind: str
    direction: str  # out, in, both
    memory_id: str
    content: str
    source: Source | None
    confidence: float
    note: str


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A memory with everything known about it."""

    memory_id: str
    kind: str
    content: str
    importance: float
    entity_id: str | None
    created_at: int
    source: Source | None
    document_id: str | None
    edges: tuple[EdgeView, ...]
    entities: tuple[str, ...]
    claims: tuple[Mapping[str, Any], ...]
    contested_by: tuple[str, ...]
    superseded_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecallHit:
    """One answer of recall. `score` is for ranking only; `similarity` is a true cosine."""

    memory_id: str
    kind: str
    content: str
    score: float
    similarity: float | None
    source: Source
    entity_id: str | None
    importance: float
    contested_by: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """A verdict that was not applied, and why."""

    pending_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class CommitResult:
    """What a batch of verdicts did."""

    contradictions_confirmed: int = 0
    revisions_created: int = 0
    dismissed: int = 0
    rejected: tuple[Rejected, ...] = ()
    already: int = 0  # rulings that said what was already ruled


@dataclass(frozen=True, slots=True)
class RulingView:
    """A verdict as `hebbs contradictions` shows it."""

    pending_id: str
    state: str  # open, ruled, history (a text is gone), unmatched
    verdict: str | None
    confidence: float | None
    reasoning: str
    author: str
    decided_at: int | None
    supersedes: str | None
    content_a: str
    content_b: str
    source_a: Source | None
    source_b: Source | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a pair of statements is, or is not, flagged."""

    content_a: str
    content_b: str
    memory_id_a: str | None
    memory_id_b: str | None
    similarity: float | None
    candidate_by: tuple[str, ...]  # vector, slot; empty: the pair never met
    judgement: Judgement
    flagged: bool
    state: str  # pending, ruled, not flagged, not a candidate
    steps: tuple[str, ...] = ()  # the whole decision in sentences


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of `doctor` or `verify`: level ok, note, warning or fault."""

    name: str
    level: str
    detail: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What `verify` found, and repaired when asked to."""

    findings: tuple[Finding, ...]
    repaired: tuple[str, ...] = ()

    @property
    def healthy(self) -> bool:
        """Whether no fault is left."""
        return not any(finding.level == "fault" for finding in self.findings)


@dataclass(frozen=True, slots=True)
class ContradictionVerdictInput:
    """A verdict as an agent writes it."""

    pending_id: str
    verdict: str
    confidence: float = 1.0
    reasoning: str = ""
    supersedes: str | None = None
    content: str | None = None
    apply_to: str = "pair"
    overrule: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
