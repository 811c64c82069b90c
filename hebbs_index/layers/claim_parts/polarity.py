"""Which words of a clause are denied.

Every negation cue denies one target: the verb, or the complement that a light verb carries, or the
noun that "no" stands before. A cue whose target is itself an implied negator ("do not
forget to") cancels it. Words joined to the target by "and" or "or" are denied with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hebbs_index.layers.claim_parts.clauses import Clause
from hebbs_index.layers.claim_parts.reading import Reading, Word
from hebbs_index.layers.lexicon import lexicon

_COMPLEMENTS = ("acomp", "attr", "oprd")
_OBJECTS = ("dobj", "pobj", "attr", "acomp", "oprd", "xcomp")
_PASSED_OVER = (
    "a",
    "an",
    "the",
    "be",
    "been",
    "any",
    "to",
    "have",
    "being",
    "yet",
    "very",
    "longer",
    "really",
    "-",
    "more",
    "get",
    "ever",
)


@dataclass(frozen=True, slots=True)
class Polarity:
    """The denied words of a clause, the cues that deny them and the words that are only cues."""

    denied: frozenset[int]
    cues: tuple[int, ...]
    spent: frozenset[int]  # cue words that carry no content
    modifiers: tuple[str, ...] = ()  # words denied within a relative clause only


def polarity_of(reading: Reading, clause: Clause, ignored: frozenset[int]) -> Polarity:
    """Resolve the negation of a clause; cues at `ignored` places deny nothing."""
    members = [i for i in clause.words if i not in ignored]
    implied = {i for i in members if _is_implied(reading, i, clause)}
    plain = [
        i
        for i in members
        if i not in implied and _denies(reading, i) and not _joins(reading.words[i])
    ]
    if any(reading.words[i].lower == "neither" for i in plain):
        plain = [i for i in plain if reading.words[i].lower != "nor"]
    live = set(implied)
    targets: list[tuple[int, int]] = [*_joined_by_nor(reading, clause)]
    for cue in plain:
        target = _target(reading, clause, cue)
        if target in implied:
            live.symmetric_difference_update({target})
        elif target is not None:
            targets.append((cue, target))
    for cue in sorted(live):
        target = _implied_target(reading, clause, cue)
        if target is not None:
            targets.append((cue, target))
    targets += _switched_off(reading, clause)
    main = [(cue, target) for cue, target in targets if not _in_relative(reading, clause, cue)]
    denied: set[int] = set()
    for _cue, target in main:
        denied.symmetric_difference_update(_with_conjuncts(reading, clause, target))
    return Polarity(
        frozenset(denied),
        tuple(sorted(cue for cue, _target in main)),
        frozenset(implied)
        | frozenset(plain)
        | frozenset(cue + 1 for cue in plain if _is_no_longer(reading, cue)),
        tuple(sorted({reading.words[t].fold for c, t in targets if (c, t) not in main})),
    )


def _joins(word: Word) -> bool:
    """Whether "nor" only joins: it denies what comes after it, not the clause that it hangs on."""
    return word.lower == "nor" and word.dep == "cc"


def _joined_by_nor(reading: Reading, clause: Clause) -> list[tuple[int, int]]:
    """ "Shall not be sold, nor has it a price": the second clause is denied by "nor"."""
    root = reading.words[clause.root]
    if root.dep != "conj" or root.head in clause.words:
        return []
    return [
        (i, _complement(reading, clause, root.index))
        for i in reading.words[root.head].children
        if root.head < i < root.index and _joins(reading.words[i])
    ][:1]


def _in_relative(reading: Reading, clause: Clause, index: int) -> bool:
    """Whether a word stands in a relative clause: what it denies only narrows a noun."""
    word = reading.words[index]
    for _step in range(12):
        if word.index == clause.root or word.head == word.index:
            return False
        if word.dep == "relcl":
            return True
        word = reading.words[word.head]
    return False


def _switched_off(reading: Reading, clause: Clause) -> list[tuple[int, int]]:
    """ "disabled: false" in running text denies the word before the colon."""
    words = reading.words
    return [
        (third, first)
        for first, second, third in zip(
            clause.words, clause.words[1:], clause.words[2:], strict=False
        )
        if (words[second].text in (":", "=") or _says_default(words[first], words[second]))
        and words[third].lower in ("false", "no", "off")
        and words[first].is_content
    ]


def _says_default(first: Word, second: Word) -> bool:
    """ "Defaults to false", "the default is off"."""
    return first.fold == "default" and second.lower in ("to", "is", "value", "of")


def _denies(reading: Reading, index: int) -> bool:
    word = reading.words[index]
    return _is_negator(word) and not _contrasts(reading, word)


def _contrasts(reading: Reading, word: Word) -> bool:
    """ ", not you" and ", nothing more" set off an alternative; the clause itself is not denied."""
    if not word.index or word.lower not in ("not", "nothing", "no", "none"):
        return False
    return reading.words[word.index - 1].text in (",", "(", "—", "–")


def _is_negator(word: Word) -> bool:
    if word.lower == "non":
        return True
    return word.lower in lexicon().negators or word.dep == "neg"


def _is_implied(reading: Reading, index: int, clause: Clause) -> bool:
    """Whether a word turns what follows into its opposite ("failed to", "unable to", "lacks")."""
    word, known = reading.words[index], lexicon()
    if word.fold in known.implied_verb and _implied_target(reading, clause, index) is not None:
        return True
    return (
        word.fold in known.implied_noun
        and word.pos in ("VERB", "NOUN", "")
        and (_object_of(reading, clause, index) is not None)
    )


def _implied_target(reading: Reading, clause: Clause, index: int) -> int | None:
    word = reading.words[index]
    if reading.parsed:
        for child in word.children:
            if (
                reading.words[child].dep in ("xcomp", "ccomp", "acl", "advcl")
                and child > index
                and child in clause.words
            ):
                return _complement(reading, clause, child)
        if word.fold in lexicon().implied_noun:
            return _object_of(reading, clause, index)
    after = [i for i in clause.words if i > index][:4]
    lowers = [reading.words[i].lower for i in after]
    if lowers[:1] == ["to"] and len(after) > 1:
        return next((i for i in after[1:] if reading.words[i].lower not in _PASSED_OVER), None)
    if after and reading.words[after[0]].lower.endswith("ing"):
        return after[0]
    return _object_of(reading, clause, index) if word.fold in lexicon().implied_noun else None


def _object_of(reading: Reading, clause: Clause, index: int) -> int | None:
    if reading.parsed:
        for child in reading.words[index].children:
            word = reading.words[child]
            if word.dep in ("dobj", "pobj") and child in clause.words:
                return child
            if word.dep == "prep" and word.lower == "of":
                return next((c for c in word.children if reading.words[c].dep == "pobj"), None)
        return None
    return next((i for i in clause.words if i > index and reading.words[i].is_content), None)


def _target(reading: Reading, clause: Clause, cue: int) -> int | None:
    word = reading.words[cue]
    if not reading.parsed or word.lower == "non":
        return next(
            (
                i
                for i in clause.words
                if i > cue
                and reading.words[i].lower not in _PASSED_OVER
                and (reading.words[i].is_content or reading.words[i].pos == "VERB")
            ),
            None,
        )
    if word.lower == "without":
        return next((c for c in word.children if reading.words[c].dep in ("pobj", "pcomp")), None)
    if word.lower == "neither" and _under_subject(reading, word):
        return _complement(reading, clause, clause.root)
    if word.dep in ("nsubj", "nsubjpass", "dobj", "pobj", "attr", "agent"):
        return (
            clause.root if word.dep.startswith("nsubj") else _complement(reading, clause, word.head)
        )
    head = word.head
    if _is_no_longer(reading, cue):
        head = reading.words[cue + 1].head  # "no longer" denies the verb, not the adverb
    if head in (cue, cue + 1) and reading.words[head].lower == "longer":
        return clause.root
    if head == cue:
        return None
    return _complement(reading, clause, head)


def _is_no_longer(reading: Reading, cue: int) -> bool:
    after = reading.words[cue + 1 : cue + 2]
    return reading.words[cue].lower == "no" and bool(after) and after[0].lower == "longer"


def _under_subject(reading: Reading, word: Word) -> bool:
    """Whether a word stands in the subject of its clause ("neither A nor B was ...")."""
    for _step in range(6):
        if word.dep in ("nsubj", "nsubjpass"):
            return True
        if word.head == word.index:
            return False
        word = reading.words[word.head]
    return False


def _complement(reading: Reading, clause: Clause, head: int) -> int:
    """Go down from a light verb to the word that carries the meaning."""
    word = reading.words[head]
    if word.pos not in ("AUX", "VERB") or word.fold not in (
        "be",
        "have",
        "do",
        "seem",
        "become",
        "remain",
        "get",
        "appear",
        "stay",
    ):
        return head
    for dep in (*_COMPLEMENTS, "dobj", "xcomp"):
        for child in word.children:
            if reading.words[child].dep == dep and child in clause.words:
                return child
    if word.fold == "be":
        for child in word.children:
            if reading.words[child].dep == "prep" and reading.words[child].children:
                return reading.words[child].children[-1]
    return head


def _with_conjuncts(reading: Reading, clause: Clause, target: int) -> Iterable[int]:
    found = [target]
    if reading.parsed:
        words = reading.words
        for child in words[target].children:
            word = words[child]
            joined = any(
                words[c].lower in ("and", "or", "nor")
                for c in words[target].children
                if words[c].dep == "cc"
            )
            if (
                word.dep == "conj"
                and joined
                and child in clause.words
                and word.pos == words[target].pos
            ):
                found.append(child)
    return found
