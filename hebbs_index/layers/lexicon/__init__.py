"""The word lists behind claims, loaded once from the data files beside this module.

Every list is data that can be read and extended without touching code; each file names
its source. Single words are folded like the words they are compared with.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from hebbs_index.words import fold_base, fold_phrase


def load_toml(name: str) -> dict[str, Any]:
    """Read one data file of this package."""
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Attribute:
    """A single-valued attribute: its nouns, its verbs with preposition, and its verbs of change."""

    key: str
    nouns: tuple[tuple[str, ...], ...]
    verbs: frozenset[tuple[str, ...]]
    changes: frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All word lists of extraction."""

    concepts: Mapping[str, str]  # folded word -> concept
    light_verbs: frozenset[str]
    light_nouns: frozenset[str]
    negators: frozenset[str]
    implied_verb: frozenset[str]
    implied_noun: frozenset[str]
    harmless: tuple[str, ...]
    modality: tuple[tuple[str, str], ...]  # (phrase, modality), longest first
    quantifiers: tuple[tuple[str, str], ...]
    times: tuple[tuple[str, str], ...]
    changed: tuple[str, ...]
    openings: tuple[str, ...]
    condition_openings: frozenset[str]
    condition_settings: frozenset[str]
    scope_words: Mapping[str, str]  # folded word -> kind
    tier_words: frozenset[str]
    tier_nouns: frozenset[str]
    part_words: frozenset[str]
    attributes: tuple[Attribute, ...]
    verb_attributes: Mapping[tuple[str, ...], str]
    change_attributes: Mapping[tuple[str, ...], tuple[str, ...]]
    attribute_nouns: Mapping[tuple[str, ...], str]
    role_nouns: frozenset[tuple[str, ...]]
    role_verbs: frozenset[str]
    holder_verbs: Mapping[str, str]  # "own" -> "owner"
    agent_verbs: frozenset[str]
    numeric_nouns: frozenset[str]
    many: frozenset[str]
    own: frozenset[tuple[str, ...]]
    schema: frozenset[str]
    value_columns: frozenset[str]
    generic: frozenset[str]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The word lists, read on first use."""
    cues = load_toml("cues.toml")
    concepts = load_toml("concepts.toml")
    attributes = load_toml("attributes.toml")
    scope = cues["scope"]
    known = tuple(_attribute(entry) for entry in attributes["attribute"])
    return Lexicon(
        concepts=_concepts(concepts["concepts"]),
        light_verbs=_folded(concepts["light"]["verbs"]),
        light_nouns=_folded(concepts["light"]["nouns"]),
        negators=frozenset(cues["negation"]["words"]),
        implied_verb=_folded(cues["negation"]["implied_before_verb"]),
        implied_noun=_folded(cues["negation"]["implied_before_noun"]),
        harmless=_longest_first(cues["negation"]["harmless"]),
        modality=_phrases(cues["modality"]),
        quantifiers=_phrases(cues["quantifier"]),
        times=_phrases(cues["time"], without=("changed",)),
        changed=_longest_first(cues["time"]["changed"]),
        openings=tuple(cues["unasserted"]["openings"]),
        condition_openings=frozenset(cues["condition"]["opening"]),
        condition_settings=_folded(cues["condition"]["setting"]),
        scope_words={
            fold_base(word): kind
            for kind in ("environment", "platform", "region", "period")
            for word in scope[kind]
        },
        tier_words=_folded(scope["tier"]),
        tier_nouns=_folded(scope["tier_nouns"]),
        part_words=_folded(scope["part"]),
        attributes=known,
        verb_attributes={verb: a.key for a in known for verb in a.verbs},
        change_attributes=_changes(known),
        attribute_nouns={noun: a.key for a in known for noun in a.nouns},
        role_nouns=frozenset(fold_phrase(noun) for noun in attributes["roles"]["nouns"]),
        role_verbs=_folded(attributes["roles"]["holds"]),
        holder_verbs={fold_base(v): fold_base(n) for v, n in attributes["roles"]["verbs"].items()},
        many=frozenset(" ".join(fold_phrase(word)) for word in attributes["many"]["words"]),
        agent_verbs=_folded(attributes["agent"]["verbs"]),
        value_columns=frozenset(
            " ".join(fold_phrase(word)) for word in attributes["value_columns"]["words"]
        ),
        own=frozenset(tuple(fold_phrase(word)) for word in attributes["own"]["words"]),
        schema=frozenset(" ".join(fold_phrase(word)) for word in attributes["schema"]["words"]),
        numeric_nouns=_folded(attributes["numeric"]["nouns"]),
        generic=_folded(attributes["generic"]["words"]),
    )


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(fold_base(word) for word in words)


def _concepts(groups: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {fold_base(word): name for name, words in groups.items() for word in words}


def _longest_first(phrases: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))


def _phrases(
    groups: Mapping[str, Iterable[str]], without: tuple[str, ...] = ()
) -> tuple[tuple[str, str], ...]:
    pairs = [
        (phrase, kind) for kind, words in groups.items() if kind not in without for phrase in words
    ]
    return tuple(sorted(pairs, key=lambda pair: (-len(pair[0]), pair[0])))


def _attribute(entry: Mapping[str, Any]) -> Attribute:
    return Attribute(
        key=entry["key"],
        nouns=tuple(fold_phrase(noun) for noun in entry["nouns"]),
        verbs=frozenset(fold_phrase(verb) for verb in entry["verbs"]),
        changes=frozenset(fold_phrase(verb) for verb in entry["changes"]),
    )


def _changes(known: tuple[Attribute, ...]) -> dict[tuple[str, ...], tuple[str, ...]]:
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for attribute in known:
        for verb in attribute.changes:
            found[verb] = (*found.get(verb, ()), attribute.key)
    return found
