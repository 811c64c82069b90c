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

from hebbs_index.words import fold_base

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Opposites:
    """What excludes what, by folded word."""

    antonyms: Mapping[str, frozenset[str]]
    classes: Mapping[str, frozenset[str]]  # word -> classes it belongs to
    compatible: frozenset[frozenset[str]]
    parts: frozenset[str]
    once: frozenset[str]
    measuring: frozenset[str]

    def opposites_of(self, forms: Iterable[str]) -> frozenset[str]:
        """The opposites of a word in any of its forms."""
        known = [self.antonyms.get(form, _NONE) for form in forms]
        return frozenset().union(*known, *(_turned(form) for form in forms))

    def classes_of(self, forms: Iterable[str]) -> frozenset[str]:
        """The closed classes that a word belongs to."""
        return frozenset().union(*(self.classes.get(form, _NONE) for form in forms))

    def shared_class(self, first: frozenset[str], second: frozenset[str]) -> str:
        """The class in which two different words exclude each other, or nothing."""
        if first & second or any(
            frozenset((x, y)) in self.compatible for x in first for y in second
        ):
            return ""
        return min(self.classes_of(first) & self.classes_of(second), default="")


@lru_cache(maxsize=1)
def opposites() -> Opposites:
    """The word lists, read on first use."""
    pairs, classes = _load("antonyms.toml"), _load("classes.toml")
    return Opposites(
        antonyms=_both_ways([*pairs["builtin"], *pairs["more"]]),
        classes=_memberships(classes["classes"]),
        compatible=frozenset(
            frozenset(fold_base(word) for word in pair) for pair in classes["compatible"]["pairs"]
        ),
        parts=frozenset(fold_base(word) for word in classes["part"]["words"]),
        measuring=frozenset(fold_base(word) for word in classes["measuring"]["words"]),
        once=frozenset(fold_base(word) for word in classes["once"]["verbs"]),
    )


def builtin_pairs() -> tuple[tuple[str, str], ...]:
    """The 25 pairs of the system's first description, as written."""
    return tuple((first, second) for first, second in _load("antonyms.toml")["builtin"])


_SHORTEST = 6  # letters of a stem before which "un" is read as a prefix: not "uniform"


def _turned(form: str) -> frozenset[str]:
    """A word with "un" before it, or without it ("redacted" and "unredacted")."""
    plain = form.removeprefix("un").lstrip("-")
    if plain != form:
        return frozenset((plain,)) if len(plain) >= _SHORTEST else _NONE
    return frozenset((f"un{form}",)) if len(form) >= _SHORTEST else _NONE


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _both_ways(pairs: Iterable[Iterable[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in pairs:
        first, second = (fold_base(word) for word in pair)
        found.setdefault(first, set()).add(second)
        found.setdefault(second, set()).add(first)
    return {word: frozenset(others) for word, others in found.items()}


def _memberships(classes: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, words in classes.items():
        for word in words:
            found.setdefault(fold_base(word), set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}
