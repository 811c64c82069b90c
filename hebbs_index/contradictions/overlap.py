"""How far two claims speak of the same thing, and which words are left over on each side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hebbs_index.contradictions.lexicon import opposites
from hebbs_index.contradictions.profile import Profile


@dataclass(frozen=True, slots=True)
class Overlap:
    """Shared and left-over words of two claims, opposites and exclusive values taken out."""

    shared: frozenset[str]
    rest_a: frozenset[str]
    rest_b: frozenset[str]
    antonyms: tuple[tuple[str, str], ...]
    exclusive: tuple[tuple[str, str, str], ...]  # word of a, word of b, class


def compare(a: Profile, b: Profile) -> Overlap:
    """Match the words of two claims."""
    shared = frozenset(a.terms.keys() & b.terms.keys())
    rest_a, rest_b = a.heavy - shared, b.heavy - shared
    antonyms = tuple(_antonyms(a, b, shared)) if shared else ()
    rest_a -= {one for one, _other in antonyms}
    rest_b -= {other for _one, other in antonyms}
    exclusive = tuple(_exclusive(a, b, shared)) if shared else ()
    rest_a -= {one for one, _other, _name in exclusive}
    rest_b -= {other for _one, other, _name in exclusive}
    return Overlap(shared, rest_a, rest_b, antonyms, exclusive)


def _antonyms(a: Profile, b: Profile, shared: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Opposites among the words that are not shared and stand outside both subjects."""
    known = opposites()
    free_b = [word for word in _free(b, shared) if b.kinds[word] != "p"]
    for one in _free(a, shared):
        if a.kinds[one] == "p":
            continue
        others = known.opposites_of(a.forms[one])
        for other in free_b if others else ():
            if b.forms[other] & others:
                yield one, other
                break


def _exclusive(a: Profile, b: Profile, shared: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    known = opposites()
    free_b = _free(b, shared)
    for one in _free(a, shared):
        if not known.classes_of(a.forms[one]):
            continue
        for other in free_b:
            name = known.shared_class(a.forms[one], b.forms[other])
            if name:
                yield one, other, name
                break


def _free(profile: Profile, shared: frozenset[str]) -> list[str]:
    """Words that may be opposed: neither shared, nor the subject, nor a row or column."""
    words = profile.terms.keys() - shared - profile.subject
    return sorted(word for word in words if profile.terms[word].start >= 0)
