"""A claim prepared for comparison: its words as sets, with where each stands.

Profiles are made once a claim and kept for a while, because one claim is
compared with many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hebbs_index.records import Claim, Term
from hebbs_index.words import fold_word

_HEAVY = frozenset("npmav")
_THINGS = frozenset("npma")
_KEPT = 20_000  # profiles kept at most; more are made anew


@dataclass(frozen=True, slots=True)
class Profile:
    """Words of a claim by their key: the concept where a word has one, else its folded form."""

    claim: Claim
    terms: Mapping[str, Term]
    kinds: Mapping[str, str]
    heavy: frozenset[str]  # words that tell one subject or action from another
    things: frozenset[str]  # those among them that name or qualify a thing
    denied: frozenset[str]
    subject: frozenset[str]  # keys of words in the grammatical subject or taken from the context
    raw: Mapping[str, str]  # key -> folded word
    forms: Mapping[str, frozenset[str]]  # key -> the folded word and the word as written, folded
    value: frozenset[str]


_profiles: dict[int, tuple[Claim, Profile]] = {}


def profile_of(claim: Claim) -> Profile:
    """The profile of a claim; the same claim object gives the same profile."""
    kept = _profiles.get(id(claim))
    if kept is not None and kept[0] is claim:
        return kept[1]
    if len(_profiles) >= _KEPT:
        _profiles.clear()
    made = _make(claim)
    _profiles[id(claim)] = (claim, made)
    return made


def _make(claim: Claim) -> Profile:
    terms: dict[str, Term] = {}
    kinds: dict[str, str] = {}
    raw: dict[str, str] = {}
    forms: dict[str, frozenset[str]] = {}
    denied: set[str] = set()
    stated: set[str] = set()
    subject: set[str] = set(claim.subject.words)
    for term, kind in zip(claim.content, claim.kinds, strict=False):
        key = term.words[-1]
        (denied if kind.isupper() else stated).add(key)
        if key in terms:
            continue
        terms[key], kinds[key], raw[key] = term, kind.lower(), term.words[0]
        forms[key] = frozenset((term.words[0], fold_word(term.text, term.text)))
        if claim.subject.start <= term.start < claim.subject.end:
            subject.add(key)
    heavy = frozenset(key for key, kind in kinds.items() if kind in _HEAVY)
    things = frozenset(key for key, kind in kinds.items() if kind in _THINGS)
    return Profile(
        claim,
        terms,
        kinds,
        heavy,
        things,
        frozenset(denied - stated),  # "billable work over non-billable" denies nothing
        frozenset(subject),
        raw,
        forms,
        frozenset(claim.value.words),
    )
