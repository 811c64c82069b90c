"""Where sentences begin and end: rules over characters, no model, no tokenizer.

A ruling hangs on the text of a sentence, so its borders may not move when a model
or a library does. `sentence_ranges` is a pure function of the text. It expects
plain text of one block (white space folded); headings, list items and table
cells must have been taken apart before.

In doubt it does not cut: two sentences in one piece are still found and compared,
half a sentence is worth nothing.
"""

from __future__ import annotations

import re

from hebbs_index.layers.vocabulary import vocabulary

MAX_SENTENCE_CHARACTERS = 2_000
"""Longer runs without a full stop are no sentences (data, minified text); they are
cut at a space, so that no model has to read them in one piece."""

# Never the end of a sentence, whatever follows.
_ALWAYS_ABBREVIATED = vocabulary(
    "e.g i.e eg ie cf vs viz approx resp incl excl est dr mr mrs ms prof rev gen col sgt capt hon "
    "st mt fig figs eq eqs ch pp al ca ed eds trans ref refs nos vols pt ver v"
)
# The end of a sentence only when the next word is one that opens sentences.
_OFTEN_ABBREVIATED = vocabulary(
    "inc ltd corp co llc plc bros jr sr etc dept univ assn gov u.s u.k u.n e.u d.c u.s.a a.m p.m "
    "ph.d m.d b.a m.a b.sc m.sc jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed "
    "thu thurs fri sat sun max min misc temp tel ext repo hr hrs sq ave blvd rd sec"
)
# An abbreviation only before a number: "No. 5", "p. 12", "vol. 2", "art. 3".
_ABBREVIATED_BEFORE_NUMBER = vocabulary("no nr p vol art par para chap app pos num secs")
_OPENERS = vocabulary(
    "the a an this that these those it its he she they we you i his her their our your there here "
    "in on at by for from with to as if when while after before since although because however but "
    "and or so then also all any each every no none some most many such both either neither what "
    "which who how why where see use note please do don't not once until unless"
)
_CLOSERS = "\"'”’»)]}*_`"
_STOP = re.compile(rf"[.!?…]+[{re.escape(_CLOSERS)}]*(?=\s)|[。！？]+[」』”]?")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«/]+\Z")
_NEXT_WORD = re.compile(r"[^\W\d_][\w'’-]*")
# A unit: "ops/s" and "calls/min" at the end of the last word, "30 s" and "5 min" after a number.
_UNIT = r"(?:[a-zµμ]|ms|min|sec|hrs?)"
_UNIT_AT_END = re.compile(rf"(?:\w/{_UNIT}|(?<![\w.])[<>~±]?\d[\d.,]*\s?{_UNIT})\Z")
_INITIAL = re.compile(r"^(?:[^\W\d_]\.)*[^\W\d_]$")


def sentence_ranges(text: str) -> tuple[tuple[int, int], ...]:
    """Split plain text into sentences: character ranges without surrounding space."""
    starts = [0]
    for stop in _STOP.finditer(text):
        if _ends_sentence(text, starts[-1], stop.start(), stop.end()):
            starts.append(stop.end())
    ends = [*starts[1:], len(text)]
    return tuple(
        piece
        for start, end in zip(starts, ends, strict=True)
        for piece in _pieces(text, start, end)
    )


def _ends_sentence(text: str, begin: int, start: int, end: int) -> bool:
    """Whether the stop at `text[start:end]` closes the sentence that began at `begin`."""
    if text[start] in "。！？":
        return True
    rest = text[end : end + 80].lstrip()
    if not rest:
        return False
    if text[start] != "." or text[start : start + 2] == "..":
        return not rest[0].islower()  # "Yahoo! is", "wait ... and see"
    return _full_stop_ends(text, begin, start, rest)


def _full_stop_ends(text: str, begin: int, start: int, rest: str) -> bool:
    word = _word_before(text, start)
    if not word or word in _ALWAYS_ABBREVIATED:
        return False
    if rest[0].isupper() and _UNIT_AT_END.search(text, max(begin, start - 40), start):
        return True
    if word.isdigit() and text[begin:start].strip() == word:
        return False  # "1. First": a list number
    if word in _ABBREVIATED_BEFORE_NUMBER and rest[0].isdigit():
        return False
    if word in _OFTEN_ABBREVIATED or _INITIAL.match(word):
        return rest[0].isupper() and _next_word(rest) in _OPENERS
    # A small letter next: carelessness after a whole word, an abbreviation after a short one.
    return rest[0] not in ",;:)]}" and not (rest[0].islower() and len(word) < 4)


def _word_before(text: str, position: int) -> str:
    found = _LAST_WORD.search(text, max(0, position - 40), position)
    # "EU-U.S." ends as "U.S." does.
    return found.group().casefold().rpartition("-")[2] if found else ""


def _next_word(rest: str) -> str:
    found = _NEXT_WORD.search(rest)
    return found.group().casefold() if found else ""


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Trim a range; cut one that is too long to be a sentence at spaces."""
    pieces: list[tuple[int, int]] = []
    while end - start > MAX_SENTENCE_CHARACTERS:
        cut = text.rfind(" ", start + 1, start + MAX_SENTENCE_CHARACTERS)
        cut = cut if cut > 0 else start + MAX_SENTENCE_CHARACTERS
        pieces.append((start, cut))
        start = cut
    pieces.append((start, end))
    return [trimmed for piece in pieces if (trimmed := _trim(text, *piece))[0] < trimmed[1]]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
