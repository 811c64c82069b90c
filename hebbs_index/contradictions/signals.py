"""The signals: pure functions of two claims that say on which words they disagree.

Each gives at most one `Signal`, with the words on both sides. What a signal is worth
depends on how far the claims speak of the same thing; that is `judge`'s business.
"""

from __future__ import annotations

from hebbs_index.contradictions.lexicon import opposites
from hebbs_index.contradictions.overlap import Overlap
from hebbs_index.contradictions.profile import Profile
from hebbs_index.contradictions.quantities import comparable, describe, disagreement
from hebbs_index.contradictions.sides import sides
from hebbs_index.records import Quantity, Signal, Term
from hebbs_index.words import fold_base

WEIGHTS = {
    "numeric": 0.62,
    "date": 0.6,
    "negation": 0.6,
    "antonym": 0.56,
    "value": 0.58,
    "modality": 0.5,
    "quantifier": 0.45,
    "status": 0.52,
}
"""Confidence of one signal where the claims otherwise say the same; fitted by eye on the
development sets, to be calibrated."""


_HOLDING = ("contain", "have", "hold", "include", "carry")
_NEARLY_ALL = 4  # words that two phrases without a verb must share to be about one thing


def signals_of(a: Profile, b: Profile, overlap: Overlap) -> tuple[Signal, ...]:
    """Every signal that fires between two claims."""
    found = (
        numeric(a, b),
        negation(a, b, overlap),
        antonym(a, b, overlap),
        value(a, b, overlap),
        exclusive(a, b, overlap),
        modality(a, b),
        ended(a, b),
    )
    return tuple(signal for signal in found if signal is not None)


def numeric(a: Profile, b: Profile) -> Signal | None:
    """Both give the same quantity another value."""
    if not a.claim.quantities or not b.claim.quantities or a.denied or b.denied:
        return None
    counted = {q.unit.partition("/")[0] for p in (a, b) for q in p.claim.quantities}
    limit = bool(({"limit", "refuse"} - counted) & (a.terms.keys() | b.terms.keys()))
    found = disagreement(a.claim.quantities, b.claim.quantities, limit=limit)
    if found is None:
        found = _reversed(disagreement(b.claim.quantities, a.claim.quantities, limit=limit))
    if found is None:
        return None
    first, second = found
    if (
        bool(first.unit) != bool(second.unit)
        and (first.unit or second.unit) not in a.terms.keys() & b.terms.keys()
    ):
        return None
    if not first.unit and not second.unit and (_acts(a) or _acts(b)):
        return None  # "amends 10": a bare number beside an action is a label
    name = "date" if first.kind in ("date", "year") else "numeric"
    if first.unit == "address":
        name = "value"
    imperative = "should" in (a.claim.modality, b.claim.modality)
    if imperative and "one" in (
        first.text.split(" ")[0].lower(),
        second.text.split(" ")[0].lower(),
    ):
        return None  # "deploy to one machine first"
    if name == "date" and not (_happens_once(a) and _happens_once(b)):
        return None
    detail = sides([(describe(first), describe(second))])
    return Signal(name, (first.start, first.end), (second.start, second.end), detail)


def _acts(profile: Profile) -> bool:
    """Whether the claim's verb is an action rather than a carrier of a value."""
    return not profile.claim.predicate or "v" in profile.kinds.values()


def _happens_once(profile: Profile) -> bool:
    """Whether a date of the claim is the date of the thing, not of one event among many."""
    claim = profile.claim
    known = opposites().once
    return (
        claim.single_valued
        or claim.predicate in known
        or bool(known & set(profile.raw.values()) - {"be", "get"})
    )


def negation(a: Profile, b: Profile, overlap: Overlap) -> Signal | None:
    """One denies what the other asserts."""
    denied_a = a.denied & overlap.shared
    denied_b = b.denied & overlap.shared
    if bool(denied_a) == bool(denied_b) or (a.denied and b.denied):
        return None
    if not (a.claim.predicate and b.claim.predicate):
        return None  # a phrase without a verb names something; it denies nothing
    if _only_possible(a, b) or "optional" in (a.claim.modality, b.claim.modality):
        return None
    if _cancelled(a, b, overlap):
        return None
    if _denies_a_number(a, b):
        return None
    word = min(denied_a or denied_b)
    if not _same_kind(a, b, word) or _denies_a_manner(a, b, word) or _denies_some(a, b):
        return None
    if {a.kinds[word], b.kinds[word]} <= {"v", "l"} and _another_object(a, b, word):
        return None
    span_a = _cue_span(a) if denied_a else _span(a.terms[word])
    span_b = _cue_span(b) if denied_b else _span(b.terms[word])
    denier = a if denied_a else b
    return Signal("negation", span_a, span_b, f"denied: {denier.terms[word].text}")


def _denies_a_number(a: Profile, b: Profile) -> bool:
    """ "Not 100 members" and "does not take 3 years" leave every other number open."""
    denier, other = (a, b) if a.denied else (b, a)
    numbers = [(q.value, q.unit) for q in denier.claim.quantities]
    return bool(numbers) and numbers != [(q.value, q.unit) for q in other.claim.quantities]


def _denies_a_manner(a: Profile, b: Profile, word: str) -> bool:
    """ "Does not knowingly collect" leaves open that it collects."""
    denier, other = (a, b) if a.denied else (b, a)
    verb = denier.terms[word]
    return any(
        term.end + 1 == verb.start
        and term.text.lower().endswith("ly")
        and denier.kinds[key] == "r"
        and key not in other.terms
        for key, term in denier.terms.items()
    )


def _another_object(a: Profile, b: Profile, word: str) -> bool:
    """ "Do not use the card" and "use cash for what the card buys" are about two things."""
    denier, other = (a, b) if a.denied else (b, a)
    one, another = _object_after(denier, word), _object_after(other, word)
    return bool(one and another) and another not in denier.terms


def _object_after(profile: Profile, verb: str) -> str:
    """The noun that follows a verb, the last one of a compound ("travel card")."""
    end = profile.terms[verb].end
    found = ""
    for key, term in sorted(profile.terms.items(), key=lambda item: item[1].start):
        if term.start > end and profile.kinds[key] in "np":
            if found and term.start > end + 1:
                break
            found, end = key, term.end
    return found


def _denies_some(a: Profile, b: Profile) -> bool:
    """ "Needs no import" and "needs fewer imports" agree; so do "can hold none" and "can hold"."""
    denier, other = (a, b) if a.denied else (b, a)
    fewer = any(term.text.lower() in ("fewer", "less") for term in other.terms.values())
    cues = {term.text.lower() for term in denier.claim.negation}
    holds = {denier.claim.predicate} & {fold_base(verb) for verb in _HOLDING}
    return fewer or (bool(holds) and "no" in cues and denier.claim.modality in ("can", "may"))


def _same_kind(a: Profile, b: Profile, word: str) -> bool:
    """A denied verb wants the verb on the other side, a denied noun the same predicate."""
    kinds = {a.kinds[word], b.kinds[word]}
    verbal = kinds & {"v", "l"}
    if verbal:
        return not kinds & {"n", "p", "g"}
    if kinds <= {"a", "m", "r"}:
        return True
    denier = a if word in a.denied else b
    cues = {cue.words[0] for cue in denier.claim.negation}
    if denier.claim.predicate in cues:
        return True  # "missed the deadline" denies whatever is said to be done with it
    return a.claim.predicate == b.claim.predicate or not ((a.heavy | b.heavy) - a.things - b.things)


def _only_possible(a: Profile, b: Profile) -> bool:
    """ "Can do without" and "can do with" both hold."""
    without = any(term.text.lower() == "without" for p in (a, b) for term in p.claim.negation)
    return without and any(p.claim.modality in ("can", "may", "optional") for p in (a, b))


def antonym(a: Profile, b: Profile, overlap: Overlap) -> Signal | None:
    """Opposite words, with the same polarity on both sides."""
    live = [(x, y) for x, y in overlap.antonyms if (x in a.denied) == (y in b.denied)]
    if not live or len(live) < len(overlap.antonyms):
        return None
    if (a.denied & overlap.shared) != (b.denied & overlap.shared):
        return None  # "not on time" and "late": denied and opposite say the same
    one, other = live[0]
    detail = sides([(a.terms[x].text, b.terms[y].text) for x, y in live])
    return Signal("antonym", _span(a.terms[one]), _span(b.terms[other]), detail)


def value(a: Profile, b: Profile, overlap: Overlap) -> Signal | None:
    """Another value for an attribute that takes one at a time."""
    one, other = a.claim, b.claim
    if (
        not (one.single_valued and other.single_valued)
        or one.attribute.words != other.attribute.words
    ):
        return None
    if not one.value.words or not other.value.words or one.polarity != other.polarity:
        return None
    if set(one.value.words) & set(other.value.words) or not one.polarity:
        return None
    if any(comparable(x, y) for x in one.quantities for y in other.quantities):
        return None  # the numbers decide
    detail = sides([(one.value.text, other.value.text)], topic=" ".join(one.attribute.words))
    return Signal("value", _span(one.value), _span(other.value), detail)


def exclusive(a: Profile, b: Profile, overlap: Overlap) -> Signal | None:
    """Two members of a class of which only one can hold."""
    if a.denied or b.denied:
        return None
    if not (a.claim.predicate and b.claim.predicate) and (
        overlap.rest_a or overlap.rest_b or len(overlap.shared) < _NEARLY_ALL
    ):
        return None
    live = list(overlap.exclusive)
    if not live or len(live) > 1:
        return None
    one, other, name = live[0]
    kind = "status" if name in ("status", "ticket", "maturity", "support") else "value"
    detail = sides([(a.terms[one].text, b.terms[other].text)], topic=name)
    return Signal(kind, _span(a.terms[one]), _span(b.terms[other]), detail)


def modality(a: Profile, b: Profile) -> Signal | None:
    """Demanded on one side, left open on the other."""
    kinds = {a.claim.modality, b.claim.modality}
    if kinds != {"must", "optional"} or a.denied or b.denied:
        return None
    detail = sides([(a.claim.modality, b.claim.modality)])
    return Signal("modality", None, None, detail)


def ended(a: Profile, b: Profile) -> Signal | None:
    """One says that a state is over which the other asserts."""
    times = (a.claim.time, b.claim.time)
    if (times[0] == "used_to") == (times[1] == "used_to") or a.denied or b.denied:
        return None
    if a.claim.quantities or b.claim.quantities or not same_subject(a, b):
        return None
    return Signal("status", None, None, "over on one side, current on the other")


def same_subject(a: Profile, b: Profile) -> bool:
    """Whether both claims name the same subject, or neither names one."""
    one, other = a.claim.subject, b.claim.subject
    if bool(one.words and one.start >= 0) != bool(other.words and other.start >= 0):
        return bool(set(one.words) & set(other.words))
    return not one.words or not other.words or bool(set(one.words) & set(other.words))


def _cancelled(a: Profile, b: Profile, overlap: Overlap) -> bool:
    """ "Not reliable" and "unreliable" agree; so do "used to" and "no longer"."""
    if len(overlap.antonyms) % 2:
        return True
    past = [p for p in (a, b) if p.claim.time == "used_to"]
    return len(past) == 1 and not past[0].denied


def _reversed(pair: tuple[Quantity, Quantity] | None) -> tuple[Quantity, Quantity] | None:
    return None if pair is None else (pair[1], pair[0])


def _span(term: Term) -> tuple[int, int] | None:
    return (term.start, term.end) if term.start >= 0 else None


def _cue_span(profile: Profile) -> tuple[int, int] | None:
    cues = [term for term in profile.claim.negation if term.start >= 0]
    return (cues[0].start, cues[0].end) if cues else None
