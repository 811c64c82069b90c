"""Sentences cut into clauses: two statements joined by "and", "but" or a semicolon.

A cut is made only where both halves are whole statements. The second half must have a
finite verb of its own; if it shares the subject of the first, the subject is written in. Relative,
adverbial and conditional clauses stay with their main clause, and nothing is cut
where a condition, a negation or a place at the front may reach over both halves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hebbs_index.layers.vocabulary import vocabulary

_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl", "csubj", "csubjpass"})
_FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})
_JOINING = frozenset({"and", "but"})
# What reaches over both halves of a sentence when it stands outside of them.
_SCOPED = frozenset({"advcl", "mark", "preconj", "ccomp", "parataxis", "csubj", "csubjpass"})
_CONDITIONS = vocabulary(
    "if unless when whenever while until till before after once because since although though as "
    "whether except provided"
)
_PAIRED = vocabulary("either neither both whether not")
_MAX_SUBJECT_TOKENS = 12
_MIN_CLAUSE_TOKENS = 3
_VAGUE = vocabulary("it they this that these those he she them which who there such here")
_CONNECTIVES = vocabulary(
    "and but or so nor yet therefore however thus hence otherwise instead then e.g. i.e. for here "
    "there that this which"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause as token positions `start:end` of a `Doc`, and the subject it shares, if any."""

    start: int
    end: int
    subject: Any = None  # spaCy Span


def split_clauses(doc: Any) -> list[Clause]:
    """The clauses of one parsed sentence, in order; one that covers it all when in doubt."""
    whole = [Clause(0, len(doc))]
    if len(doc) < 2 * _MIN_CLAUSE_TOKENS or not _may_divide(doc.text):
        return whole
    return _by_semicolon(doc) or _by_conjunction(doc) or whole


def _may_divide(text: str) -> bool:
    return (" and " in text or " but " in text or "; " in text) and text[-1] not in "?:"


def _by_semicolon(doc: Any) -> list[Clause]:
    if "; " not in doc.text:
        return []
    borders = [token.i for token in doc if token.text == ";"]
    starts = [0, *(border + 1 for border in borders)]
    ends = [*borders, len(doc)]
    clauses = [Clause(start, end) for start, end in zip(starts, ends, strict=True)]
    if all(_stands_alone(doc, clause) for clause in clauses) and not _opens_with_scope(doc):
        return clauses
    return []


def _stands_alone(doc: Any, clause: Clause) -> bool:
    """Whether a stretch between semicolons has its own subject and finite verb, and no open end."""
    tokens = doc[clause.start : clause.end]
    if len(tokens) < _MIN_CLAUSE_TOKENS or not _balanced(tokens):
        return False
    if tokens[0].lower_ in _CONNECTIVES or tokens[0].pos_ in ("ADP", "SCONJ"):
        return False
    return any(
        token.dep_ in _SUBJECTS
        and not _is_vague(doc, token)
        and clause.start <= token.head.i < clause.end
        and token.head.dep_ in ("ROOT", "ccomp", "parataxis", "conj")
        and is_finite(token.head)
        for token in tokens
    )


def _by_conjunction(doc: Any) -> list[Clause]:
    root = _only_root(doc)
    if root is None or not is_finite(root):
        return []
    subject = _subject(root)
    if subject is None or _opens_with_scope(doc, before=subject.left_edge.i):
        return []
    clauses = [Clause(0, 0)]
    for head, verb in _coordinated(root):
        clause = _second_half(doc, head, verb, subject)
        if clause is None:
            return []
        clauses.append(clause)
        subject = _subject(verb) or subject
    return _closed(doc, clauses) if len(clauses) > 1 else []


def _only_root(doc: Any) -> Any:
    roots = [token for token in doc if token.dep_ == "ROOT"]
    return roots[0] if len(roots) == 1 and roots[0].pos_ in ("VERB", "AUX") else None


def _subject(verb: Any) -> Any:
    for child in verb.lefts:
        if child.dep_ in _SUBJECTS and not child.dep_.startswith("csubj"):
            return child
    return None


def is_finite(verb: Any) -> bool:
    """Whether a verb says its tense, itself or by an auxiliary."""
    if any(child.tag_ == "TO" for child in verb.lefts):
        return False
    return verb.tag_ in _FINITE or any(
        child.dep_ in ("aux", "auxpass") and child.tag_ in _FINITE for child in verb.lefts
    )


def _opens_with_scope(doc: Any, before: int | None = None) -> bool:
    """Whether words at the front ("If ...", "In staging, ...") may govern the whole sentence."""
    first = doc[0].lower_
    if first in _CONDITIONS or first in _PAIRED or first in ("for", "in", "on", "with", "under"):
        return True
    if before is None:
        return False
    return any(
        token.dep_ in _SCOPED or token.text == ":" or token.dep_ in ("prep", "npadvmod")
        for token in doc[:before]
    )


def _coordinated(root: Any) -> Iterator[tuple[Any, Any]]:
    """Verbs joined to the main verb by "and" or "but", each with the verb it is joined to."""
    head = root
    while True:
        verbs = [child for child in head.rights if child.dep_ == "conj"]
        if len(verbs) != 1 or verbs[0].pos_ not in ("VERB", "AUX"):
            return
        yield head, verbs[0]
        head = verbs[0]


def _second_half(doc: Any, head: Any, verb: Any, subject: Any) -> Clause | None:
    joint = _joint(doc, head, verb)
    if joint < 0 or not is_finite(verb) or _conditional(head) or _conditional(verb):
        return None
    if _nests(doc[head.i : joint]) or not _is_whole(head, joint) or not _has_more(verb, doc):
        return None
    start = joint + 1
    own = _subject(verb)
    if own is not None:
        stands = own.left_edge.i == start and not _is_vague(doc, own)
        return Clause(start, len(doc)) if stands else None
    shared = doc[subject.left_edge.i : subject.right_edge.i + 1]
    if len(shared) > _MAX_SUBJECT_TOKENS or subject.dep_ == "expl" or not _agrees(head, verb):
        return None
    return Clause(start, len(doc), shared) if _opens_with_verb(doc, start, verb) else None


def _joint(doc: Any, head: Any, verb: Any) -> int:
    """The position of the "and" or "but" right before the second half, or -1."""
    place = verb.left_edge.i - 1
    # The parser hangs "and" on the first verb, so it stands just before the second half.
    if place <= head.i or doc[place].lower_ not in _JOINING or doc[place].dep_ != "cc":
        return -1
    return int(place)


def _nests(tokens: Any) -> bool:
    """Whether a clause within the first half might be what "and" goes on with."""
    return any(token.dep_ in ("relcl", "ccomp", "acl") for token in tokens)


def _opens_with_verb(doc: Any, start: int, verb: Any) -> bool:
    """Whether nothing but auxiliaries, negation and adverbs stands before the second verb."""
    return doc[start].lower_ not in _CONNECTIVES and all(
        token.head.i == verb.i and token.dep_ in ("aux", "auxpass", "neg", "advmod")
        for token in doc[start : verb.i]
    )


def _is_vague(doc: Any, subject: Any) -> bool:
    """Whether a subject is no noun or points at something said before: "it", "this information"."""
    if not subject.tag_.startswith(("NN", "PRP", "DT", "WP", "EX", "CD")):
        return True
    return subject.lower_ in _VAGUE or doc[subject.left_edge.i].lower_ in _VAGUE


def _conditional(verb: Any) -> bool:
    return any(
        child.dep_ in ("advcl", "preconj", "parataxis")
        or (child.dep_ == "mark" and child.lower_ in _CONDITIONS)
        or (child.dep_ == "advmod" and child.lower_ in ("not", "only", "both", "either"))
        for child in verb.children
    )


def _is_whole(head: Any, joint: int) -> bool:
    """Whether the first verb has what it takes within its own half: an object, a place, a state."""
    return any(
        head.i < child.i < joint and child.dep_ not in ("punct", "cc", "conj", "neg")
        for child in head.children
    ) or (head.i + 1 < joint and head.dep_ != "ROOT")


def _has_more(verb: Any, doc: Any) -> bool:
    return any(child.i > verb.i and not child.is_punct for child in verb.children) or (
        verb.tag_ == "VBN" and verb.i + 1 < len(doc)
    )


def _agrees(head: Any, verb: Any) -> bool:
    """Whether two verbs can share a subject and each be whole: both say their tense themselves.

    A participle is often taken for a past tense ("is measured ... and evaluated ..."), so
    a past tense without an auxiliary needs another one before it.
    """
    first, second = _finite_tag(head), _finite_tag(verb)
    if not _has_auxiliary(verb):
        if second in ("VBD", "VBP"):
            return first == second and not _has_auxiliary(head)
        return second == "VBZ" and first != "VBP"
    return {first, second} != {"VBZ", "VBP"}


def _has_auxiliary(verb: Any) -> bool:
    return any(child.dep_ in ("aux", "auxpass") for child in verb.lefts)


def _finite_tag(verb: Any) -> str:
    for child in verb.lefts:
        if child.dep_ in ("aux", "auxpass") and child.tag_ in _FINITE:
            return str(child.tag_)
    return str(verb.tag_)


def _closed(doc: Any, clauses: list[Clause]) -> list[Clause]:
    """End every clause before the joint of the next; none if brackets or quotes are torn."""
    ended = [Clause(a.start, b.start - 1, a.subject) for a, b in pairwise(clauses)]
    ended.append(clauses[-1])
    if all(_balanced(doc[clause.start : clause.end]) for clause in ended) and all(
        clause.end - clause.start >= _MIN_CLAUSE_TOKENS - 1 for clause in ended
    ):
        return ended
    return []


def _balanced(tokens: Any) -> bool:
    text: str = tokens.text
    return (
        text.count("(") == text.count(")")
        and text.count("[") == text.count("]")
        and text.count("“") == text.count("”")
        and text.count('"') % 2 == 0
        and text.count("`") % 2 == 0
    )
