"""Small pieces of human output: clean text, counts, ids, places and emphasised differences.

Words from documents are shown as text, never as terminal commands: control characters are
made visible, so that a note cannot move the cursor or rename a window.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from datetime import UTC, datetime

import click

from hebbs_index.records import Source

SHORT_ID = 10  # hex digits shown; a prefix of six or more is accepted wherever an id is typed
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
WORD = re.compile(r"\s+|[^\s]+")


def clean(text: str) -> str:
    """One line of printable text: white space folded, control characters escaped."""
    return visible(" ".join(text.split()))


def visible(text: str) -> str:
    """Text with its lines as they are and all other control characters escaped."""
    return CONTROL.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return character if character == "\n" else f"\\x{ord(character):02x}"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: `1 file`, `2,400 files`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def short(identifier: str) -> str:
    """The part of an id that is enough to type."""
    return identifier[:SHORT_ID]


def place(source: Source | None) -> str:
    """`path:line` of a source, which editors and terminals can follow."""
    return f"{clean(source.path)}:{source.line_start}" if source else "(not in a file)"


def date_of(microseconds: int | None) -> str:
    """A time in UTC to the second, or `-`."""
    if microseconds is None:
        return "-"
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def emphasise_differences(first: str, second: str) -> tuple[str, str]:
    """Both texts with the words bold that the other one lacks; plain where there is no bold."""
    words = WORD.findall(clean(first)), WORD.findall(clean(second))
    folded = [[word.casefold().strip(".,;:!?\"'()") for word in side] for side in words]
    matcher = difflib.SequenceMatcher(None, folded[0], folded[1], autojunk=False)
    differing: tuple[set[int], set[int]] = (set(), set())
    for tag, a_start, a_end, b_start, b_end in matcher.get_opcodes():
        if tag != "equal":
            differing[0].update(range(a_start, a_end))
            differing[1].update(range(b_start, b_end))
    return _bold(words[0], differing[0]), _bold(words[1], differing[1])


def _bold(words: list[str], chosen: set[int]) -> str:
    return "".join(
        click.style(word, bold=True) if number in chosen and word.strip() else word
        for number, word in enumerate(words)
    )


def columns(rows: Iterable[tuple[str, ...]], *, indent: str = "") -> Iterable[str]:
    """Rows as left-aligned columns; the last one is not padded."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)][:-1]
    for row in table:
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield indent + "  ".join([*padded, row[-1]]).rstrip()
