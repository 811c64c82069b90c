"""A proposition while it is being made: its text and the parsed tokens behind it.

Drafts live inside `layers` only. They carry spaCy objects, so they are never
stored or sent anywhere; `analyze` turns them into `Proposition`s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hebbs_index.records import BlockKind, Dated, Span


@dataclass(frozen=True, slots=True)
class Structure:
    """A statement that layout makes: a table cell under its row and column, or a field.

    `subject` is the row label (or the thing the field belongs to, may be empty),
    `attribute` the column header or key, `value` the cell or field text. `value_start`
    is where the value begins in the draft's text.
    """

    subject: str
    attribute: str
    value: str
    value_start: int


@dataclass(frozen=True, slots=True)
class PropositionDraft:
    """One statement with the tokens that carry it.

    `tokens` is a spaCy `Span` (tagged and parsed, or plain tokens when the language
    model is missing). The character of `text` at which a token stands is
    `token.idx - tokens.start_char + token_offset`.
    """

    text: str
    own_text: str
    sentence: str
    kind: BlockKind
    span: Span
    heading_path: tuple[str, ...]
    context: tuple[str, ...]  # what parsing alone gave: lead-in, row and column, key path, heading
    tokens: Any
    token_offset: int
    structure: Structure | None
    title: str
    declared_entity: str | None
    dated: Dated
    asserted: bool
    lead_in: str = ""
    code: tuple[tuple[int, int], ...] = ()  # ranges of `text` that were inline code
    strong: tuple[tuple[int, int], ...] = ()  # ranges of `text` that were bold or italic
    embed_text: str = ""  # a pure function of own text and context; empty: the text itself
    sentence_context: tuple[str, ...] = ()  # the context of the whole sentence
    # Words of `text` that stand before `tokens` and were read as well: spaCy spans with
    # the place of their first character. The subject that a clause shares with the
    # clause before it, and the words that introduce a list.
    subject: Any = None
    subject_offset: int = 0
    lead: Any = None
    lead_offset: int = 0
