"""The records that travel between the parts of hebbs-index.

Everything here is a frozen, picklable value. Parsing makes `ParsedFile`s, the
layers turn one into a `FileAnalysis`, the store keeps it, the contradiction
check reads `Statement`s back, and a reviewer sees `PendingContradiction`s.

Paths are relative POSIX strings. Times are UTC microseconds since the epoch.
Ids are 32 lower-case hex digits (16 bytes).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# --------------------------------------------------------------------------
# Source positions and parsed files (layers/parse)
# --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """A range of a source file.

    `start` and `end` count characters of the decoded text (end excluded), so
    `data.decode(encoding)[span.start:span.end]` is the text meant. Lines are
    1-based and both ends are included.
    """

    start: int
    end: int
    line_start: int
    line_end: int


class BlockKind(StrEnum):
    """What a block of a file is, as the parser sees it."""

    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    FIELD = "field"  # front matter, definition lists, RST fields and docinfo
    HEADING = "heading"
    CODE = "code"
    QUOTE = "quote"
    NAVIGATION = "navigation"  # link lists, menus, tables of contents


@dataclass(frozen=True, slots=True)
class Link:
    """A link to something else, as written.

    `target` is what the author typed (path, URL or wiki name, percent-decoded),
    `anchor` the part after `#`; `wiki` is true for `[[name]]`. `start` and `end`
    are a character range of the block's text.
    """

    target: str
    anchor: str
    wiki: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell: its column header and its own text with source offsets."""

    header: str
    text: str
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a file that is split into sentences on its own.

    `text` is plain text: inline markup removed, runs of white space folded to
    one space, character references resolved. `offsets[i]` is the position in
    the decoded source of the character that gave `text[i]`.
    """

    kind: BlockKind
    text: str
    offsets: tuple[int, ...]
    span: Span
    heading_path: tuple[str, ...] = ()
    heading_level: int = 0  # of a heading itself; 0 elsewhere
    lead_in: str = ""  # what introduces a list: "To deploy:" and the parent items
    cells: tuple[Cell, ...] = ()  # of a table row, in column order
    key: tuple[str, ...] = ()  # of a field: its key path, ("owner", "name")
    code: tuple[tuple[int, int], ...] = ()  # ranges of `text` that are inline code
    strong: tuple[tuple[int, int], ...] = ()  # ranges that are bold or italic
    links: tuple[Link, ...] = ()
    task: bool | None = None  # a task list item: done or not


@dataclass(frozen=True, slots=True)
class FileProblem:
    """Why a file, or a part of it, could not be used.

    `stage` is one of read, decode, parse, front matter, analyze, store.
    """

    path: str
    stage: str
    reason: str


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A file as its parser saw it. `text` is the whole decoded source."""

    path: str
    format: str  # markdown, text, rst, html
    encoding: str
    content_hash: str  # sha256 of the bytes, hex
    text: str
    title: str
    blocks: tuple[Block, ...]
    front_matter: Mapping[str, Any] = field(default_factory=dict)  # JSON-able values
    problems: tuple[FileProblem, ...] = ()


# --------------------------------------------------------------------------
# Layers 1 to 3 (layers)
# --------------------------------------------------------------------------


class MemoryKind(StrEnum):
    """The kinds of memory."""

    EPISODE = "episode"
    DOCUMENT = "document"
    PROPOSITION = "proposition"
    INSIGHT = "insight"
    REVISION = "revision"


class EdgeKind(StrEnum):
    """The kinds of edge, with their direction from A to B."""

    CAUSED_BY = "caused_by"  # B caused A
    RELATED_TO = "related_to"  # both ways
    FOLLOWED_BY = "followed_by"  # A happened before B
    REVISED_FROM = "revised_from"  # A supersedes B
    INSIGHT_FROM = "insight_from"  # A was derived from B
    CONTRADICTS = "contradicts"  # both ways
    PROPOSITION_OF = "proposition_of"  # A was extracted from document B
    ENTITY_RELATION = "entity_relation"  # A and B share a relation

    @property
    def symmetric(self) -> bool:
        """Whether the edge is seen from both of its ends."""
        return self in (EdgeKind.RELATED_TO, EdgeKind.CONTRADICTS)


@dataclass(frozen=True, slots=True)
class Dated:
    """A stated date (ISO 8601, day precision or coarser) and where it was stated.

    `basis` is one of heading, front matter, file name; both are None when the
    file states no date.
    """

    date: str | None = None
    basis: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """Layer 1: one file."""

    path: str
    title: str
    text: str
    format: str
    encoding: str
    content_hash: str
    entity: str | None  # declared by front matter or folder, as first written
    front_matter: Mapping[str, Any]
    dated: Dated
    importance: float = 0.6


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it measures.

    `kind` is one of amount, money, percent, date, duration, bytes, rate,
    version, id, ordinal, port, year. `value` is in the base unit of `unit` where a
    conversion is known; `comparator` is one of `=`, `>=`, `<=`, `>`, `<`, `~`.
    `high` is set for a range. `unit` is the canonical unit or the counted noun.
    """

    value: float
    unit: str
    kind: str
    start: int
    end: int
    comparator: str = "="
    high: float | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A phrase of a claim: its normal form and where it stands in the text.

    `words` are folded content words (lemmas where a model gave them). `start`
    and `end` are a character range of the proposition's text; both are -1 for a
    phrase taken from the context (heading, lead-in, row or column).
    """

    words: tuple[str, ...]
    text: str
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class Claim:
    """What a proposition says, in a form two of which can be compared without NLP.

    Every field has a neutral default, so that a better extractor can fill more
    of them without a change of form. `negation` holds the cues that make the
    polarity what it is, `scope` the conditions under which it holds, as
    (kind, value) pairs such as ("environment", "staging") or ("version", "2").
    """

    subject: Term
    attribute: Term
    value: Term
    predicate: str = ""  # lemma of the main verb or relation
    polarity: bool = True  # False: the claim denies
    negation: tuple[Term, ...] = ()
    modality: str = ""  # must, should, may, never, only, ...
    quantifier: str = ""  # all, none, some, ...
    quantities: tuple[Quantity, ...] = ()
    time: str = ""  # now, past, future, used_to, or a stated date
    scope: tuple[tuple[str, str], ...] = ()
    attribution: str = ""
    asserted: bool = True  # False: question, hypothetical, example, quotation
    single_valued: bool = False  # another value for this attribute would conflict
    content: tuple[Term, ...] = ()  # all content words with positions, for token signals
    # One letter for each word of `content`: noun, p name, v verb, l light verb, a adjective
    # said of the subject, m modifier, g noun for any attribute, r adverb; upper case where denied.
    kinds: str = ""
    names: tuple[str, ...] = ()  # folded names and identifiers mentioned
    slots: tuple[str, ...] = ()  # keys under which claims about the same thing meet


@dataclass(frozen=True, slots=True)
class Mention:
    """One occurrence of an entity in a proposition (character range of its text)."""

    entity: str  # canonical key
    name: str  # as written here
    label: str  # person, organization, product, place, date, code, term, ...
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Relation:
    """Subject, predicate, object, found by dependency rules in one proposition.

    `source` and `target` are indexes into the file's propositions: the ones that
    the `entity_relation` edge joins.
    """

    subject: str  # entity keys
    predicate: str
    object: str
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Proposition:
    """Layer 2: one statement that can be read alone.

    `text` is the statement with the context that parsing gives (list lead-in, row
    and column, key path); `own_text` is what stands at `span`. `embed_text` is what the
    embedding model reads. `sentence_key` identifies the enclosing sentence, which
    no model has split.
    """

    text: str
    own_text: str
    embed_text: str
    kind: str  # the BlockKind it came from
    span: Span
    heading_path: tuple[str, ...]
    statement_key: str
    sentence_key: str
    occurrence: int  # among equal statements of this file
    entity: str | None  # declared, else the statement's main entity
    declared_entity: str | None  # declared only: part of what a verdict hangs on
    dated: Dated
    asserted: bool
    claims: tuple[Claim, ...] = ()
    mentions: tuple[Mention, ...] = ()
    importance: float = 0.5


@dataclass(frozen=True, slots=True)
class FileAnalysis:
    """Everything derived from one file, before any store or vector is involved."""

    document: Document
    propositions: tuple[Proposition, ...]
    relations: tuple[Relation, ...]
    links: tuple[Link, ...]
    version: str  # of the layers and the language model that made it
    problems: tuple[FileProblem, ...] = ()


# --------------------------------------------------------------------------
# Files: seen, remembered, planned (watch)
# --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileStat:
    """What `stat` says of a file; equal stats mean an unchanged file."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it is now. `content_hash` is None if it could not be read.

    `sketch` is a small set of line hashes by which an edited file is recognised
    after a move. `read` tells whether this scan had to read the file.
    """

    path: str
    stat: FileStat
    content_hash: str | None
    read_at_ns: int
    sketch: tuple[int, ...] = ()
    problem: FileProblem | None = None
    read: bool = False


@dataclass(frozen=True, slots=True)
class Indexed:
    """A row of the manifest: a file as it was when it was last indexed."""

    path: str
    stat: FileStat
    content_hash: str
    read_at_ns: int
    sketch: tuple[int, ...]
    document_id: str | None  # None for a file that yields no document
    version: str  # the analysis version it was indexed with


@dataclass(frozen=True, slots=True)
class Plan:
    """What an update will do: every path in exactly one kind of change.

    `moved` maps new path to old path; `rewritten` are the new paths among them
    whose content changed as well. `touched` paths are unchanged but for their
    stat, which the manifest should learn.
    """

    added: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)
    rewritten: frozenset[str] = frozenset()
    deleted: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


# --------------------------------------------------------------------------
# Contradictions
# --------------------------------------------------------------------------


class Label(StrEnum):
    """What the check makes of a pair before anyone sees it."""

    DUPLICATE = "duplicate"
    REFINEMENT = "refinement"
    SCOPE = "scope"
    UPDATE = "update"
    CONFLICT = "conflict"
    UNSURE = "unsure"
    NONE = "none"


class VerdictKind(StrEnum):
    """What a reviewer can rule."""

    CONTRADICTION = "contradiction"
    REVISION = "revision"
    DISMISS = "dismiss"


@dataclass(frozen=True, slots=True)
class Signal:
    """Evidence that two claims disagree: which, on which words of each side."""

    name: str  # negation antonym numeric value modality quantifier date status definition
    span_a: tuple[int, int] | None
    span_b: tuple[int, int] | None
    detail: str


@dataclass(frozen=True, slots=True)
class Guard:
    """A reason not to take a disagreement at face value."""

    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the check makes of two statements, with all its reasons.

    `score` is the heuristic confidence in 0..0.75. `supersedes` is `b` when the second
    statement's wording ends the first ("just moved to"), `a` for the
    reverse, None when wording gives no direction.
    """

    label: Label
    score: float
    signals: tuple[Signal, ...] = ()
    guards: tuple[Guard, ...] = ()
    supersedes: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A distinct statement as the check compares it.

    `id` is the store's integer key. Equal statements of one declared entity and
    equal claims share a `Statement`, whatever files they stand in.
    """

    id: int
    statement_key: str
    declared_entity: str | None
    text: str
    claims: tuple[Claim, ...]
    vector_id: int | None


@dataclass(frozen=True, slots=True)
class Source:
    """Where a statement stands."""

    path: str
    line_start: int
    line_end: int
    heading: tuple[str, ...]
    date: str | None


@dataclass(frozen=True, slots=True)
class PendingContradiction:
    """A pair waiting for a verdict; `a` is the older statement, `b` the newer."""

    pending_id: str
    memory_id_a: str
    memory_id_b: str
    content_a_snippet: str
    content_b_snippet: str
    classifier_score: float
    classifier_method: str
    similarity: float | None
    label: Label
    suggested_verdict: VerdictKind
    signals: tuple[Signal, ...]
    source_a: Source
    source_b: Source
    date_basis: str | None
    cluster_id: str
    members: tuple[str, ...]
    created_at: int


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed, directed link between two memories."""

    source_id: str
    target_id: str
    kind: EdgeKind
    confidence: float
    created_at: int
    origin: str  # file, agent, detection
    note: str = ""  # the predicate of a relation, the reasoning of a verdict
