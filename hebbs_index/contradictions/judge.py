"""Judge two statements by their stored claims: pure, symmetrical, no model.

Every claim of one side is compared with every claim of the other; the strongest pair
speaks for the statements. The score grows with the signals and with how much the
claims share; guards decide the label and leave the score alone. A similarity of
embeddings never is a reason.
"""

from __future__ import annotations

from collections.abc import Sequence

from hebbs_index.contradictions.guards import guards_of, left_over
from hebbs_index.contradictions.label import direction, label_of
from hebbs_index.contradictions.overlap import Overlap, compare
from hebbs_index.contradictions.present import swapped
from hebbs_index.contradictions.profile import Profile, profile_of
from hebbs_index.contradictions.signals import WEIGHTS, signals_of
from hebbs_index.records import Claim, Judgement, Label, Signal

DETECTOR_VERSION = "2"
"""Changes when the same claims would be judged otherwise."""

CAP = 0.75
"""A heuristic is never surer than this (the system's first description)."""

_NOTHING = Judgement(Label.NONE, 0.0)
_FIT = (1.0, 0.86, 0.7, 0.5, 0.4)  # by the number of words only one side has
_NAMING = frozenset(("environment", "platform", "tier", "version", "entity"))
_ORDER = (Label.CONFLICT, Label.UPDATE, Label.SCOPE, Label.DUPLICATE, Label.REFINEMENT, Label.NONE)


def judge(
    a: Sequence[Claim],
    b: Sequence[Claim],
    *,
    text_a: str,
    text_b: str,
    similarity: float | None,
) -> Judgement:
    """What two statements are to each other; swapping them swaps the words and spans of signals
    and `supersedes`, and nothing else."""
    del similarity  # a road to candidates, not evidence
    if not a or not b:
        return _NOTHING
    if (text_b, _identity(b)) < (text_a, _identity(a)):
        return swapped(_judge(b, a))
    return _judge(a, b)


def flagged(judgement: Judgement, min_confidence: float) -> bool:
    """Whether a pair is worth a reviewer's time."""
    return judgement.label in (Label.UPDATE, Label.CONFLICT) and judgement.score >= min_confidence


def _identity(claims: Sequence[Claim]) -> str:
    return "|".join(f"{c.subject.text}/{c.predicate}/{c.value.text}" for c in claims)


def _judge(a: Sequence[Claim], b: Sequence[Claim]) -> Judgement:
    best = _NOTHING
    for one in a:
        for other in b:
            found = judge_claims(profile_of(one), profile_of(other))
            if _precedes(found, best):
                best = found
    return best


def _precedes(one: Judgement, other: Judgement) -> bool:
    flags = [j.label in (Label.UPDATE, Label.CONFLICT) and j.score >= 0.2 for j in (one, other)]
    if flags[0] != flags[1]:
        return flags[0]
    if flags[0]:
        return one.score > other.score
    rank_one, rank_other = _ORDER.index(one.label), _ORDER.index(other.label)
    if rank_one != rank_other:
        return rank_one < rank_other
    return (one.score, len(one.guards)) > (other.score, len(other.guards))


def judge_claims(a: Profile, b: Profile) -> Judgement:
    """What two claims are to each other."""
    overlap = compare(a, b)
    if not overlap.shared and not _same_attribute(a, b) and not _shared_scope(a, b):
        return _NOTHING
    signals = signals_of(a, b, overlap)
    guards = guards_of(a, b, overlap, signals)
    label = label_of(a, b, overlap, signals, guards)
    score = _score(a, b, overlap, signals)
    supersedes = direction(a, b, signals) if label is Label.UPDATE else None
    return Judgement(label, score, signals, guards, supersedes)


def _shared_scope(a: Profile, b: Profile) -> int:
    """How many conditions that name something both claims state ("staging", "version 9")."""
    return sum(kind in _NAMING for kind, _value in set(a.claim.scope) & set(b.claim.scope))


def _same_attribute(a: Profile, b: Profile) -> bool:
    words = a.claim.attribute.words
    return bool(words) and words == b.claim.attribute.words


def _score(a: Profile, b: Profile, overlap: Overlap, signals: Sequence[Signal]) -> float:
    """Noisy-or of the signals, each scaled by how far the claims otherwise agree."""
    if not signals:
        return 0.0
    fit = _fit(a, b, overlap, signals)
    doubt = 1.0
    for signal in signals:
        doubt *= 1.0 - WEIGHTS[signal.name] * fit
    return round(min(CAP, 1.0 - doubt), 4)


def _fit(a: Profile, b: Profile, overlap: Overlap, signals: Sequence[Signal]) -> float:
    rest_a, rest_b = left_over(a, b, overlap, tuple(signals))
    rest = len(rest_a) + len(rest_b)
    if all(signal.name == "negation" for signal in signals):
        # What is denied in general is denied of every special case.
        special = rest_b if a.denied else rest_a
        named = overlap.shared & a.subject & b.subject
        rest = len(rest_a if a.denied else rest_b) + len(special) // (2 if named else 1)
    fit = _FIT[min(rest, len(_FIT) - 1)]
    if any(signal.name == "value" for signal in signals) and _same_attribute(a, b):
        return fit * _subject_fit(a, b)
    if rest and all(s.name in ("value", "antonym") for s in signals) and _modifies(a, b, overlap):
        fit *= 0.5
    same = overlap.shared & a.heavy & b.heavy
    anchors = len(same - a.denied - b.denied) + _shared_scope(a, b)
    if anchors == 0:
        return fit * 0.3
    if anchors > 1 or rest == 0:
        return fit
    return fit * (0.9 if rest == 1 else 0.6)


def _modifies(a: Profile, b: Profile, overlap: Overlap) -> bool:
    """Whether what differs only qualifies a noun ("private key", "public key")."""
    pairs = [*overlap.antonyms, *((x, y) for x, y, _name in overlap.exclusive)]
    return all(a.kinds[x] in "mn" and b.kinds[y] in "mn" for x, y in pairs)


def _subject_fit(a: Profile, b: Profile) -> float:
    """How surely two attributes belong to one thing: named by both, by neither, or by one only."""
    one, other = a.claim.subject, b.claim.subject
    if set(one.words) & set(other.words) or not (one.words or other.words):
        return 1.0
    if one.start >= 0 or other.start >= 0:
        return 0.5
    # "Primary region" and "the CEO is" stand for themselves; a field "owner" is of its file.
    specific = len(a.claim.attribute.words) > 1 or _in_sentence(a) or _in_sentence(b)
    return 0.8 if specific else 0.5


def _in_sentence(profile: Profile) -> bool:
    """Whether the attribute stands in the running text rather than as a key or column."""
    key = profile.claim.attribute.words[-1]
    return key in profile.terms and profile.terms[key].start >= 0
