"""Who does what to whom: relations between two names, by rules over dependencies.

Six forms: active ("X uses Y"), passive ("X is owned by Y"), copular ("X is the CEO of
Y"), possessive ("Acme's CEO is Bob"), appositive ("Bob, the CEO of Acme"), prepositional ("X
runs on Y"). Both ends must be names; in doubt there is no relation. Denied, asked and
conditional sentences state none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hebbs_index.layers.clauses import is_finite
from hebbs_index.layers.vocabulary import vocabulary
from hebbs_index.records import Mention

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_PASSIVE = frozenset({"auxpass"})
_OBJECTS = frozenset({"dobj", "obj"})
_LINKING = frozenset({"be", "become", "remain"})
_OPEN = vocabulary("if unless whether when would could might should may")


@dataclass(frozen=True, slots=True)
class Stated:
    """A relation as stated in one proposition, between two of its mentions."""

    subject: Mention
    predicate: str
    object: Mention


def find_relations(
    tokens: Any, named: Mapping[int, Mention], *, shared: Any = None
) -> list[Stated]:
    """The relations that a parsed proposition states.

    `named` maps the position (in the `Doc`) of a name's head word to its mention;
    `shared` is the head of a subject that stands in the clause before.
    """
    if len({mention.entity for mention in named.values()}) < 2 or tokens[-1].text == "?":
        return []
    found: list[Stated] = []
    for token in tokens:
        if token.pos_ in ("VERB", "AUX"):
            found.extend(_of_verb(token, named, shared if token.i == tokens.root.i else None))
        elif token.dep_ == "appos":
            found.extend(_of_apposition(token, named))
    return list(dict.fromkeys(one for one in found if one.subject.entity != one.object.entity))


def head_of(tokens: Any, first: int, last: int) -> int:
    """The position of the word of `doc[first:last]` that governs the others."""
    return int(tokens.doc[first:last].root.i)


def _of_verb(verb: Any, named: Mapping[int, Mention], shared: Any) -> Iterator[Stated]:
    subject = _child(verb, _SUBJECTS) or shared
    if subject is None or not is_finite(verb) or not _is_asserted(verb) or _is_denied(subject):
        return
    if _child(verb, _PASSIVE) is not None:
        yield from _of_passive(verb, subject, named)
    elif verb.lemma_ in _LINKING:
        yield from _of_copula(verb, subject, named)
    elif (source := named.get(subject.i)) is not None:
        objects = list(_all(_child(verb, _OBJECTS)))
        for target in objects:
            if target.i in named:
                yield Stated(source, verb.lemma_, named[target.i])
        if not objects:  # "X has influence on Y" is no "have on"
            yield from _of_prepositions(verb, source, verb.lemma_, named)


def _is_asserted(verb: Any) -> bool:
    """Whether the verb is in a clause that states: not denied, not open, not asked."""
    for child in verb.lefts:
        if child.dep_ == "neg" or child.lower_ in _OPEN or child.lower_ in ("no", "never"):
            return False
        if child.dep_ in ("mark", "advmod") and child.lower_ in ("if", "unless", "when", "whether"):
            return False
    return not any(child.dep_ == "neg" for child in verb.rights)


def _is_denied(subject: Any) -> bool:
    return any(child.lower_ in ("no", "neither", "few") for child in subject.lefts)


def _of_passive(verb: Any, subject: Any, named: Mapping[int, Mention]) -> Iterator[Stated]:
    patient = named.get(subject.i)
    if patient is None:
        return
    for agent in verb.rights:
        if agent.dep_ == "agent":
            for actor in _objects(agent):
                if actor.i in named:
                    yield Stated(named[actor.i], verb.lemma_, patient)
    yield from _of_prepositions(verb, patient, verb.lower_, named)


def _of_prepositions(
    verb: Any, source: Mention, predicate: str, named: Mapping[int, Mention]
) -> Iterator[Stated]:
    for preposition in verb.rights:
        if preposition.dep_ != "prep":
            continue
        for target in _objects(preposition):
            if target.i in named:
                yield Stated(source, f"{predicate} {preposition.lower_}", named[target.i])


def _of_copula(verb: Any, subject: Any, named: Mapping[int, Mention]) -> Iterator[Stated]:
    attribute = _child(verb, frozenset({"attr"}))
    if attribute is None:
        source = named.get(subject.i)
        if source is not None:  # "X is in Y"
            yield from _of_prepositions(verb, source, "be", named)
        return
    holder = named.get(subject.i)
    filler = named.get(attribute.i)
    if holder is not None and filler is not None:
        yield Stated(holder, "be", filler)
    if holder is not None and filler is None:
        for role, owner in _owners(attribute, named):
            yield Stated(holder, role, owner)
    if holder is None and filler is not None:
        for role, owner in _owners(subject, named):  # "Acme's CEO is Bob"
            yield Stated(filler, role, owner)


def _of_apposition(token: Any, named: Mapping[int, Mention]) -> Iterator[Stated]:
    """ "Bob, the CEO of Acme": the apposition names a role, its "of" the owner."""
    holder = named.get(token.head.i)
    if holder is None:
        return
    if token.i not in named and token.pos_ == "NOUN":
        for role, owner in _owners(token, named):
            yield Stated(holder, role, owner)


def _owners(noun: Any, named: Mapping[int, Mention]) -> Iterator[tuple[str, Mention]]:
    """Roles and whose they are: "Acme's CEO", "the CEO of Acme"."""
    role = noun.lemma_.lower()
    for child in noun.children:
        if child.dep_ == "poss" and child.i in named:
            yield f"{role} of", named[child.i]
        elif child.dep_ == "prep" and child.lower_ in ("of", "for", "at"):
            for target in _objects(child):
                if target.i in named:
                    yield f"{role} {child.lower_}", named[target.i]


def _objects(preposition: Any) -> Iterator[Any]:
    for child in preposition.rights:
        if child.dep_ == "pobj":
            yield from _all(child)


def _all(token: Any) -> Iterator[Any]:
    """A word and the words joined to it by "and"."""
    while token is not None:
        yield token
        joined = [child for child in token.rights if child.dep_ == "conj"]
        if any(child.dep_ == "cc" and child.lower_ != "and" for child in token.rights):
            return
        token = joined[0] if joined else None


def _child(token: Any, dependencies: frozenset[str]) -> Any:
    return next((child for child in token.children if child.dep_ in dependencies), None)
