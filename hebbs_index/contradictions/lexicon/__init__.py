"""The word lists behind the signals, loaded once: antonyms and classes of exclusive values.

Words are folded like the words of claims, so that inflections do not matter.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from hebbs_index.words import fold_word


@dataclass(frozen=True, slots=True)
class Opposites:
    """What excludes what, by folded word."""

    antonyms: Mapping[str, frozenset[str]]
    classes: Mapping[str, frozenset[str]]  # word -> classes it belongs to
    compatible: frozenset[frozenset[str]]
    parts: frozenset[str]

    def are_antonyms(self, first: str, second: str) -> bool:
        """Whether two words are opposites."""
        return second in self.antonyms.get(first, ())

    def shared_class(self, first: str, second: str) -> str:
        """The class of which two different words are members that exclude each other, or nothing."""
        if first == second or frozenset((first, second)) in self.compatible:
            return ""
        both = self.classes.get(first, frozenset()) & self.classes.get(second, frozenset())
        return min(both, default="")


@lru_cache(maxsize=1)
def opposites() -> Opposites:
    """The word lists, read on first use."""
    pairs, classes = _load("antonyms.toml"), _load("classes.toml")
    return Opposites(
        antonyms=_both_ways([*pairs["builtin"], *pairs["more"]]),
        classes=_memberships(classes["classes"]),
        compatible=frozenset(
            frozenset(fold_word(word) for word in pair) for pair in classes["compatible"]["pairs"]
        ),
        parts=frozenset(fold_word(word) for word in classes["part"]["words"]),
    )


def builtin_pairs() -> tuple[tuple[str, str], ...]:
    """The 25 pairs of the system's first description, as written."""
    return tuple((first, second) for first, second in _load("antonyms.toml")["builtin"])


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _both_ways(pairs: Iterable[Iterable[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in pairs:
        first, second = (fold_word(word) for word in pair)
        found.setdefault(first, set()).add(second)
        found.setdefault(second, set()).add(first)
    return {word: frozenset(others) for word, others in found.items()}


def _memberships(classes: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, words in classes.items():
        for word in words:
            found.setdefault(fold_word(word), set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}
