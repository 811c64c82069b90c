"""What the store answers beyond the shared records: changes, places, flagged pairs, rulings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hebbs_index.records import Dated, Judgement, MemoryKind, Source, VerdictKind

if TYPE_CHECKING:  # numpy costs more than most commands that only read
    import numpy as np
    import numpy.typing as npt

Floor = tuple[float, str]  # product and key of a vector's k-th neighbour


@dataclass(frozen=True, slots=True)
class FileChange:
    """What writing a file did to its propositions (ids in document order)."""

    added: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """A document or proposition as the index knows it, with the place where it stands.

    `statement_id` and what depends on it are None or empty for a document. `created_us` is
    the time of the file: the index keeps no birthdays, so that a rebuild loses none.
    """

    id: str
    kind: MemoryKind
    content: str
    importance: float
    entity: str | None
    created_us: int
    source: Source
    dated: Dated
    document_id: str
    statement_id: int | None = None
    statement_key: str = ""
    declared_entity: str | None = None
    sentence_key: str = ""
    own_text: str = ""
    asserted: bool = True


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as lists show it."""

    id: str
    path: str
    title: str
    format: str
    entity: str | None
    dated: Dated
    propositions: int
    problem: str | None


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity with the names it goes by, most frequent first, and how often it is met."""

    key: str
    names: tuple[str, ...]
    label: str
    mentions: int
    propositions: int


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A text that some statement has and no vector yet."""

    text_hash: str
    embed_text: str


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors as the check reads them, ordered by text hash. `data` is on the grid, [n, d]."""

    ids: npt.NDArray[np.int64]
    text_hashes: tuple[str, ...]
    data: npt.NDArray[np.float16]
    floors: tuple[Floor | None, ...]

    def __len__(self) -> int:
        return len(self.text_hashes)


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot whose members came or went since it was last checked."""

    name: str
    checked_size: int
    size: int


@dataclass(frozen=True, slots=True)
class FlaggedPair:
    """Two statements that the check flags. Which is `a` says nothing about age."""

    pair_key: str
    statement_a: int
    statement_b: int
    judgement: Judgement
    similarity: float | None
    found_us: int = 0


@dataclass(frozen=True, slots=True)
class RuledSide:
    """One statement of a ruling, as it was when it was ruled on."""

    statement_key: str
    entity: str  # declared, folded; '' for none
    sentence_key: str
    content: str
    place: Mapping[str, Any] = field(default_factory=dict)  # path, lines, heading, date


@dataclass(frozen=True, slots=True)
class Ruling:
    """The ruling in force for a pair.

    `state` is `ruled` while both statements stand somewhere, or while exactly one flagged pair
    was cut from the same two sentences (then `pair_key` is that pair's and `followed` is true);
    `unmatched` if a statement is gone but its sentence is not; `history` if the text is gone.
    `key_a` and `key_b` are the present statement keys of the sides.
    """

    pair_key: str
    ruled_key: str
    event_id: str
    verdict: VerdictKind
    confidence: float
    reasoning: str
    author: str
    decided_us: int
    supersedes: str | None
    a: RuledSide
    b: RuledSide
    key_a: str
    key_b: str
    state: str
    followed: bool
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Counts:
    """How much the index holds."""

    documents: int
    propositions: int
    statements: int
    vectors: int
    entities: int
    pending: int  # flagged pairs without a ruling
    unchecked: int
    edges: Mapping[str, int]
    rulings: Mapping[str, int]  # by verdict, those in force whose texts stand
    unmatched_rulings: int
    history_rulings: int
