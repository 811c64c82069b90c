"""Which words of a reading say one thing together.

A clause is a verb with what hangs on it. Coordinated verbs make clauses of their own and share
the subject; a condition ("if ...", "unless ...", "without a key, ...") is taken
out of the clause and kept beside it, because it limits what the clause says.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hebbs_index.layers.claim_parts.reading import Reading, Word
from hebbs_index.layers.lexicon import lexicon

_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
_VERBAL = ("VERB", "AUX")
_CONDITION_PREPOSITIONS = (
    "with",
    "without",
    "except",
    "besides",
    "excluding",
    "depending",
    "during",
)
_ANYWHERE = ("except", "besides", "excluding", "depending", "during")


@dataclass(slots=True)
class Clause:
    """One clause as indexes into its reading's words."""

    root: int
    words: list[int]
    subject: list[int]
    conditions: list[tuple[str, list[int]]] = field(default_factory=list)
    inherited: bool = False  # the subject stands in another clause


def split_clauses(reading: Reading) -> list[Clause]:
    """The clauses of a reading, at least one if it has any word."""
    if not reading.words:
        return []
    return _parsed_clauses(reading) if reading.parsed else _plain_clauses(reading)


def _parsed_clauses(reading: Reading) -> list[Clause]:
    roots = _roots(reading)
    stop = frozenset(roots)
    clauses: list[Clause] = []
    by_root: dict[int, Clause] = {}
    for root in roots:
        clause = _parsed_clause(reading, root, stop)
        if not clause.subject:
            source = by_root.get(reading.words[root].head)
            if source is not None and reading.words[root].dep == "conj":
                clause.subject, clause.inherited = source.subject, True
        head = by_root.get(reading.words[root].head)
        if head is not None and head is not clause:
            clause.conditions += [c for c in head.conditions if c[1] and c[1][0] < head.root]
        by_root[root] = clause
        clauses.append(clause)
    return clauses


def _roots(reading: Reading) -> list[int]:
    roots: list[int] = []
    for word in sorted(reading.words, key=lambda w: _depth(reading, w)):
        if word.index >= reading.lead_end and _opens_clause(reading, word, roots):
            roots.append(word.index)
    return sorted(roots)


def _depth(reading: Reading, word: Word) -> int:
    depth = 0
    while word.head != word.index and depth < 100:
        word = reading.words[word.head]
        depth += 1
    return depth


def _opens_clause(reading: Reading, word: Word, roots: list[int]) -> bool:
    if word.dep == "ROOT":
        return word.pos not in ("PUNCT", "SPACE") or not roots
    if word.pos not in _VERBAL or word.head not in roots:
        return False
    if word.dep == "conj":
        return not _is_auxiliary_pair(reading, word)
    if word.dep in ("parataxis", "ccomp"):
        return _has_subject(reading, word) and _stands_beside(reading, word)
    return False


def _is_auxiliary_pair(reading: Reading, word: Word) -> bool:
    """Two verbs of one complex ("can and should be used") are one clause."""
    head = reading.words[word.head]
    return head.pos == "AUX" and not head.children


def _has_subject(reading: Reading, word: Word) -> bool:
    return any(reading.words[child].dep in _SUBJECTS for child in word.children)


def _stands_beside(reading: Reading, word: Word) -> bool:
    """Whether a complement is really a sentence of its own, set off by punctuation."""
    marked = any(reading.words[child].dep == "mark" for child in word.children)
    low, high = sorted((word.index, word.head))
    between = {reading.words[i].text for i in range(low, high)}
    return not marked and bool(between & {";", ",", ":", "—", "–"})


def _parsed_clause(reading: Reading, root: int, stop: frozenset[int]) -> Clause:
    words = reading.words
    members = reading.subtree(root, stop)
    conditions: list[tuple[str, list[int]]] = []
    removed: set[int] = set()
    for index in members:
        found = _condition_at(reading, index, root)
        if found and index not in removed:
            part = [i for i in reading.subtree(index, stop) if i in set(members)]
            conditions.append((found, part))
            removed.update(part)
    subject = [
        index
        for child in words[root].children
        if words[child].dep in _SUBJECTS
        for index in reading.subtree(child, stop)
        if index not in removed
    ]
    kept = [index for index in members if index not in removed]
    return Clause(root, kept, subject, conditions)


def _condition_at(reading: Reading, index: int, root: int) -> str:
    """The kind of condition whose subtree begins at a word, or nothing."""
    word, words = reading.words[index], reading.words
    if word.dep == "advcl":
        openings = [words[c].lower for c in word.children if words[c].dep in ("mark", "advmod")]
        return next((o for o in openings if o in lexicon().condition_openings), "")
    if word.dep == "prep" and word.lower == "during":
        return "during"
    if word.dep == "prep" and word.head == root and word.lower in _CONDITION_PREPOSITIONS:
        leading = word.index < min(
            (c for c in words[root].children if words[c].dep in _SUBJECTS), default=root
        )
        if word.lower in _ANYWHERE or leading:
            return word.lower
    return ""


def _plain_clauses(reading: Reading) -> list[Clause]:
    """Without a parser: one clause a semicolon, the subject before the first verb."""
    clauses: list[Clause] = []
    part: list[Word] = []
    for word in [*reading.words, None]:
        if word is not None and word.text != ";":
            part.append(word)
            continue
        if part:
            clauses.append(_plain_clause(part))
        part = []
    return clauses


def _plain_clause(part: list[Word]) -> Clause:
    kept, condition = _without_condition(part)
    verbs = [word.index for word in kept if word.pos in _VERBAL]
    root = verbs[0] if verbs else kept[0].index if kept else part[0].index
    subject = [word.index for word in kept if word.index < root] if verbs else []
    conditions = [(condition[0].lower, [w.index for w in condition])] if condition else []
    return Clause(root, [word.index for word in kept], subject, conditions)


def _without_condition(part: list[Word]) -> tuple[list[Word], list[Word]]:
    """Take "if ..., " at the start or "... unless ..." at the end out of a plain clause."""
    openings = lexicon().condition_openings
    for place, word in enumerate(part):
        if word.lower in openings or (place == 0 and word.lower in ("with", "without")):
            comma = next((n for n in range(place, len(part)) if part[n].text == ","), len(part))
            if place == 0 and comma == len(part):
                return part, []
            return [*part[:place], *part[comma + 1 :]], part[place:comma]
    return part, []
