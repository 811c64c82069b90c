"""Which attribute of what a clause gives a value: "Acme's CEO is Bob" gives (Acme, ceo, Bob).

Several wordings of one fact meet here: a noun that names the attribute, a verb with its
preposition, a role and its holder in either order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hebbs_index.layers.claim_parts.clauses import Clause
from hebbs_index.layers.claim_parts.reading import Reading, Word
from hebbs_index.layers.lexicon import lexicon
from hebbs_index.layers.vocabulary import vocabulary

_OWNER_PREPOSITIONS = ("of", "for", "at", "in")
_PRONOUNS = vocabulary(
    "it its he his she her they their we our i my you your this that these those who "
    "which there him them us me"
)
_CHANGE_KEYS_OF_TIME = "deadline"


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute found in a clause, as word indexes. `changed`: the verb says it is new."""

    key: tuple[str, ...]
    owner: tuple[int, ...]
    value: tuple[int, ...]
    single: bool
    changed: bool = False


def find_attribute(reading: Reading, clause: Clause) -> Attribute | None:
    """The first reading of a clause as "attribute of owner is value" that fits."""
    for rule in (_by_agent, _by_verb, _by_copula, _by_role, _by_holder):
        found = rule(reading, clause)
        if found is not None and found.value:
            return found
    return None


def content_indexes(reading: Reading, indexes: Iterable[int]) -> tuple[int, ...]:
    """The indexes of words that carry meaning, pronouns left out."""
    words = reading.words
    return tuple(i for i in indexes if words[i].is_content and words[i].lower not in _PRONOUNS)


def attribute_key(folds: Sequence[str]) -> tuple[tuple[str, ...], int, bool]:
    """The known attribute or role that a phrase ends in: (key, words used, known)."""
    known = lexicon()
    for size in (3, 2, 1):
        tail = tuple(folds[-size:])
        if len(tail) < size:
            continue
        if tail in known.attribute_nouns:
            return (known.attribute_nouns[tail],), size, True
        if tail in known.role_nouns:
            return tail, size, True
    return (), 0, False


def _by_agent(reading: Reading, clause: Clause) -> Attribute | None:
    """ "X is maintained by Y"."""
    verb = reading.words[clause.root]
    if verb.fold not in lexicon().agent_verbs:
        return None
    for carrier, preposition, value in _verb_phrases(reading, clause):
        passive = not reading.parsed or preposition.dep == "agent"
        if carrier.index == verb.index and preposition.lower == "by" and passive:
            named = tuple(i for i in value if reading.words[i].is_name)
            owner = content_indexes(reading, clause.subject)
            return Attribute((verb.fold, "by"), owner, named, True) if named else None
    return None


def _by_verb(reading: Reading, clause: Clause) -> Attribute | None:
    """ "X lives in Y", "X is licensed under Y", "X has moved to Y"."""
    known = lexicon()
    for verb, preposition, value in _verb_phrases(reading, clause):
        pair = (verb.fold, preposition.fold)
        owner = content_indexes(reading, clause.subject)
        if pair in known.verb_attributes:
            return Attribute((known.verb_attributes[pair],), owner, value, True)
        if pair in known.change_attributes and value:
            keys = known.change_attributes[pair]
            return Attribute((_fitting_key(reading, keys, owner, value),), owner, value, True, True)
    return None


def _fitting_key(
    reading: Reading, keys: Sequence[str], owner: Sequence[int], value: Sequence[int]
) -> str:
    """ "Moved to Friday" concerns a date, "moved to Boston" a place."""
    timed = any(
        reading.words[i].text[:1].isdigit() or reading.words[i].fold in lexicon().scope_words
        for i in value
    )
    folds = [reading.words[i].fold for i in owner]
    named = any(
        reading.words[i].is_name and reading.words[i].fold not in lexicon().scope_words
        for i in value
    )
    if timed and not named and _CHANGE_KEYS_OF_TIME in keys:
        return _CHANGE_KEYS_OF_TIME
    key, _size, known = attribute_key(folds)
    if known and key[0] in keys:
        return key[0]
    return next((key for key in keys if key != _CHANGE_KEYS_OF_TIME), keys[0])


def _verb_phrases(reading: Reading, clause: Clause) -> Iterable[tuple[Word, Word, tuple[int, ...]]]:
    """Every verb or adjective with a preposition after it, and what follows that."""
    words = reading.words
    members = set(clause.words)
    if reading.parsed:
        carriers = [
            clause.root,
            *(
                c
                for c in words[clause.root].children
                if words[c].dep in ("acomp", "advcl", "xcomp", "attr") and c in members
            ),
        ]
        for carrier in carriers:
            for child in words[carrier].children:
                if words[child].dep in ("prep", "agent", "dative") and child in members:
                    below = [i for i in reading.subtree(child) if i > child and i in members]
                    yield words[carrier], words[child], content_indexes(reading, below)
        root = words[clause.root]
        if root.fold in ("employ", "join", "due"):
            below = [i for c in root.children if words[c].dep == "dobj" for i in reading.subtree(c)]
            yield (
                root,
                Word(-1, "", "", "", "", "", "", -1, -1, -1),
                content_indexes(reading, below),
            )
        return
    for first, second in zip(clause.words, clause.words[1:], strict=False):
        if words[first].pos in ("VERB", "NOUN", "AUX", "ADJ") and words[second].lower in (
            "in",
            "to",
            "at",
            "under",
            "for",
            "on",
            "by",
            "with",
        ):
            rest = [i for i in clause.words if i > second][:6]
            yield words[first], words[second], content_indexes(reading, rest)


def _by_copula(reading: Reading, clause: Clause) -> Attribute | None:
    """ "The CEO of X is Y": the subject names the attribute."""
    words = reading.words
    if words[clause.root].fold not in ("be", "become", "remain") or not clause.subject:
        return None
    head = _phrase(reading, clause.subject)
    if not head:
        return None
    key, size, known = attribute_key([words[i].fold for i in head])
    value = _complement(reading, clause)
    if known:
        rest = head[: len(head) - size]
        owner = [i for i in content_indexes(reading, clause.subject) if i not in head or i in rest]
        return Attribute(key, tuple(owner), value, _names_holder(reading, clause, key))
    if _definite(reading, clause) and _names_one(reading, value) and len(head) >= 2:
        return Attribute(tuple(words[i].fold for i in head), (), value, True)
    return None


_PERSON_KEYS = frozenset((("report",),))


def _names_holder(reading: Reading, clause: Clause, key: tuple[str, ...]) -> bool:
    """Whether "the manager is ..." goes on with who it is rather than with what they are like."""
    words = reading.words
    if not reading.parsed or not (key in lexicon().role_nouns or key in _PERSON_KEYS):
        return True
    if any(words[i].tag in ("NNS", "NNPS") for i in clause.subject):
        return False
    held = [words[i] for i in words[clause.root].children if words[i].dep in ("attr", "oprd")]
    if words[clause.root].fold not in ("be", "become") or not held:
        return False
    return held[0].is_name or not {"a", "an", "one"} & {words[i].lower for i in held[0].children}


def _definite(reading: Reading, clause: Clause) -> bool:
    first = reading.words[min(clause.subject)]
    singular = not any(reading.words[i].tag in ("NNS", "NNPS") for i in clause.subject)
    return singular and first.lower in ("the", "our", "its", "their", "his", "her", "my", "your")


def _names_one(reading: Reading, value: Sequence[int]) -> bool:
    """Whether a value is one name or identifier: "PostgreSQL", "#ops", not a description."""
    words = [reading.words[i] for i in value]
    return 0 < len(words) <= 3 and all(word.is_name for word in words)


def _phrase(reading: Reading, subject: Sequence[int]) -> list[int]:
    """The head noun of a noun phrase with the words before it; what follows belongs to owners."""
    words = reading.words
    if not reading.parsed:
        cut = next(
            (n for n, i in enumerate(subject) if words[i].lower in _OWNER_PREPOSITIONS),
            len(subject),
        )
        owner = next((n for n, i in enumerate(subject) if words[i].lower in ("'s", "s'", "'")), -1)
        return list(content_indexes(reading, subject[owner + 1 : cut]))
    inside = set(subject)
    heads = [i for i in subject if words[i].head not in inside or words[i].head == i]
    if not heads:
        return []
    head = heads[0]
    near = [
        i
        for i in subject
        if i == head or (words[i].head == head and words[i].dep in ("compound", "amod", "nmod"))
    ]
    return list(content_indexes(reading, near))


def _complement(reading: Reading, clause: Clause) -> tuple[int, ...]:
    words = reading.words
    if reading.parsed:
        found = [
            i
            for child in words[clause.root].children
            if words[child].dep in ("attr", "acomp", "oprd", "prep", "xcomp", "advmod")
            and child > clause.root
            for i in reading.subtree(child)
            if i in set(clause.words)
        ]
        return content_indexes(reading, found)
    return content_indexes(reading, [i for i in clause.words if i > clause.root])


def _by_role(reading: Reading, clause: Clause) -> Attribute | None:
    """ "Alice is the CEO of X", "Bob was appointed CEO", "Bob takes over as CEO"."""
    words = reading.words
    if not clause.subject or not reading.parsed:
        return _by_plain_role(reading, clause)
    for child in _role_places(reading, clause):
        phrase = _phrase(reading, [i for i in reading.subtree(child) if i in set(clause.words)])
        key, size, known = attribute_key([words[i].fold for i in phrase])
        if not known or tuple(key) not in lexicon().role_nouns:
            continue
        below = content_indexes(
            reading, [i for i in reading.subtree(child) if i in set(clause.words)]
        )
        owner = tuple(
            i
            for i in below
            if i not in phrase[len(phrase) - size :] and words[i].pos not in ("ADJ", "NUM")
        )
        holder = content_indexes(reading, clause.subject)
        single = (
            bool(holder)
            and all(words[i].pos in ("PROPN", "NOUN", "ADJ") for i in holder)
            and _definite_role(reading, child)
        )
        return Attribute(
            key, owner, holder, single, words[clause.root].fold not in ("be", "serv", "remain")
        )
    return None


def _definite_role(reading: Reading, index: int) -> bool:
    """ "The CEO" or bare "CEO" has one holder, "a director" many."""
    below = [reading.words[i].lower for i in reading.words[index].children]
    return not ({"a", "an", "one"} & set(below))


def _role_places(reading: Reading, clause: Clause) -> Iterable[int]:
    words = reading.words
    for child in words[clause.root].children:
        if (
            words[child].dep in ("attr", "oprd", "dobj", "xcomp")
            and words[clause.root].fold in lexicon().role_verbs
        ):
            yield child
        if words[child].dep == "prep" and words[child].lower == "as":
            yield from (c for c in words[child].children if words[c].dep == "pobj")


def _by_plain_role(reading: Reading, clause: Clause) -> Attribute | None:
    words = reading.words
    if words[clause.root].fold != "be" or not clause.subject:
        return None
    after = [i for i in clause.words if i > clause.root]
    head = _phrase(reading, after)
    key, size, known = attribute_key([words[i].fold for i in head])
    if not known or tuple(key) not in lexicon().role_nouns:
        return None
    owner = tuple(i for i in content_indexes(reading, after) if i not in head[len(head) - size :])
    return Attribute(key, owner, content_indexes(reading, clause.subject), True)


def _by_holder(reading: Reading, clause: Clause) -> Attribute | None:
    """ "Alice owns billing": the owner of billing is Alice."""
    words = reading.words
    role = lexicon().holder_verbs.get(words[clause.root].fold)
    if role is None or not clause.subject:
        return None
    holder = content_indexes(reading, clause.subject)
    if not holder or not all(
        words[i].is_name or words[i].fold in ("team", "group") for i in holder
    ):
        return None
    after = [i for i in clause.words if i > clause.root]
    owned = content_indexes(reading, after)
    named = not any(reading.words[i].lower in ("this", "these", "that", "those") for i in after[:2])
    return Attribute((role,), owned, holder, named) if owned else None
