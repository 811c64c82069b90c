"""Cue phrases in a text: which words set modality, quantifier, time or harmless negation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from hebbs_index.layers.lexicon import lexicon


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue phrase found: what it means and where it stands."""

    kind: str
    start: int
    end: int


def plain_lower(text: str) -> str:
    """Lower case with straight apostrophes, of the same length."""
    lowered = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    return lowered.replace("’", "'").replace("‘", "'")


def cues(lowered: str, group: str) -> list[Cue]:
    """The phrases of a group in a lower-case text, longest first where they overlap."""
    pattern, kinds = _pattern(group)
    return [Cue(kinds[m.group()], *m.span()) for m in pattern.finditer(lowered)]


_USED_FOR = re.compile(r"\b(?:is|are|be|been|being|was|were|gets?|'s|'re)(?:\s+\w+)?\s+$")
_OPENS = re.compile(r"(?:^|:)\s*$")


def time_cue(lowered: str) -> str:
    """The kind of the first phrase about time; "is used to sign" tells a purpose, no past."""
    for cue in cues(lowered, "time"):
        before = lowered[max(0, cue.start - 30) : cue.start]
        phrase = lowered[cue.start : cue.end]
        if phrase == "previously" and before.endswith("as "):
            continue
        if phrase != "used to" or not _tells_purpose(before):
            return cue.kind
    return ""


def _tells_purpose(before: str) -> bool:
    """Whether "used to" after these words is a participle: "is used to", "What for: used to"."""
    return bool(_USED_FOR.search(before) or _OPENS.search(before))


def first_kind(lowered: str, group: str) -> str:
    """The kind of the first phrase of a group, or nothing."""
    pattern, kinds = _pattern(group)
    found = pattern.search(lowered)
    return kinds[found.group()] if found else ""


@lru_cache(maxsize=16)
def _pattern(group: str) -> tuple[re.Pattern[str], dict[str, str]]:
    kinds = dict(_phrases(group))
    ordered = sorted(kinds, key=lambda phrase: (-len(phrase), phrase))
    joined = "|".join(re.escape(phrase) for phrase in ordered)
    # "n't ..." continues a word, every other phrase begins one.
    return re.compile(rf"(?:(?<!\w)|(?=n't))(?:{joined})(?!\w)"), kinds


def _phrases(group: str) -> Iterator[tuple[str, str]]:
    known = lexicon()
    if group == "harmless":
        return ((phrase, "harmless") for phrase in known.harmless)
    if group == "changed":
        return ((phrase, "changed") for phrase in known.changed)
    return iter(
        {"modality": known.modality, "quantifier": known.quantifiers, "time": known.times}[group]
    )
