"""What lists need in every format: what introduces them, and whether they only navigate.

The lead-in of a list is the last sentence of the paragraph before it, if that sentence
announces something (it ends in a colon or a dash, says "following" or "below", or has no end at
all). A nested list adds the text of the item it stands in: `To deploy: > On staging`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hebbs_index.records import Block, BlockKind

LEAD_IN_SEPARATOR = " > "

_MAX_PART = 200  # characters of one part of a lead-in
_MAX_PARTS = 4  # the outermost ones are left out first
_SHORT = 12  # words; a longer paragraph without a full stop announces nothing

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=\S)")
_ANNOUNCES = re.compile(r"\b(?:the following|as follows|these are|below)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BARE_ADDRESS = re.compile(r"<?(?:https?://|www\.)\S+")
_GLUE = frozenset(
    {"a", "an", "and", "also", "back", "by", "go", "here", "in", "next", "of", "on", "or"}
    | {"previous", "see", "the", "to", "via", "with"}
)


def introduction(paragraph: str) -> str:
    """The sentence of a paragraph that introduces the list after it, or an empty text."""
    text = paragraph.rstrip()
    if not text:
        return ""
    sentence = _SENTENCE_END.split(text)[-1]
    if text[-1] in ":–—" or _ANNOUNCES.search(sentence):
        return sentence[-_MAX_PART:]
    if text[-1] not in ".!?;,\"')]" and len(sentence.split()) <= _SHORT:
        return sentence[-_MAX_PART:]
    return ""


def join_lead_in(outer: str, inner: str) -> str:
    """The lead-in of a list within an item or after a paragraph within a list."""
    parts = [part for part in (outer, _shortened(inner)) if part]
    joined = LEAD_IN_SEPARATOR.join(parts)
    return LEAD_IN_SEPARATOR.join(joined.split(LEAD_IN_SEPARATOR)[-_MAX_PARTS:])


def nested_lead_in(outer: str, item: str, before: str) -> str:
    """The lead-in of a list from what encloses it, its item, and the paragraph before it."""
    if not item:
        return join_lead_in(outer, introduction(before))
    lead_in = join_lead_in(outer, item)
    if before and before != item:
        lead_in = join_lead_in(lead_in, introduction(before))
    return lead_in


def _shortened(text: str) -> str:
    """A long item by the sentence that introduces its list, else by its first words."""
    if len(text) <= _MAX_PART:
        return text
    sentence = introduction(text)
    if 0 < len(sentence) < _MAX_PART:
        return sentence
    return text[:_MAX_PART].rpartition(" ")[0] or text[:_MAX_PART]


def is_link_only(block: Block) -> bool:
    """Whether a block is nothing but links and words that glue them."""
    if _BARE_ADDRESS.fullmatch(block.text):
        return True
    if not block.links:
        return False
    if block.text[-1] in ".!?" and len(block.text.split()) > _SHORT:
        return False
    rest, last = [], 0
    for link in block.links:
        rest.append(block.text[last : max(last, link.start)])
        last = max(last, link.end)
    rest.append(block.text[last:])
    words = _WORD.findall(" ".join(rest).lower())
    return all(word in _GLUE for word in words)


def mark_navigation(blocks: list[Block], first: int) -> None:
    """Turn the link-only items of the list `blocks[first:]` into navigation.

    Done when at least half of its items are link-only: one bare link among real
    items is more likely an answer than a menu.
    """
    items = [i for i in range(first, len(blocks)) if blocks[i].kind is BlockKind.LIST_ITEM]
    bare = [i for i in items if is_link_only(blocks[i])]
    if bare and 2 * len(bare) >= len(items):
        _turn(blocks, bare)


def mark_navigation_paragraphs(blocks: list[Block]) -> None:
    """Turn what is only links outside of lists into navigation: badges, "back to top", menus."""
    _turn(blocks, [i for i, block in enumerate(blocks) if _may_navigate(block)])


def _may_navigate(block: Block) -> bool:
    if block.kind is BlockKind.TABLE_ROW and any(cell.header for cell in block.cells):
        return False
    return block.kind in (BlockKind.PARAGRAPH, BlockKind.TABLE_ROW) and is_link_only(block)


def _turn(blocks: list[Block], indexes: Sequence[int]) -> None:
    for i in indexes:
        blocks[i] = replace(blocks[i], kind=BlockKind.NAVIGATION)
