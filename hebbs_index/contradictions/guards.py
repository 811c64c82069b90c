"""Reasons not to take a disagreement at face value.

A guard either says that the two claims are about different things (`BLOCKING`: no label at all) or
that both may hold, each under its own condition (`SCOPING`). Guards change the label; they
never touch the score of the signals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hebbs_index.contradictions.lexicon import opposites
from hebbs_index.contradictions.overlap import Overlap
from hebbs_index.contradictions.profile import Profile
from hebbs_index.records import Guard, Signal

BLOCKING = frozenset(("not asserted", "subject", "predicate", "polarity", "entity"))
SCOPING = frozenset(("scope", "narrower", "part", "history"))

_NEUTRAL_KINDS = frozenset(("default", "entity"))
# What points at its own surroundings: another place means another thing, no place means nothing.
_POINTING_KINDS = {"own": "another document", "here": "another section"}


def guards_of(
    a: Profile, b: Profile, overlap: Overlap, signals: tuple[Signal, ...]
) -> tuple[Guard, ...]:
    """Every guard that applies to a pair of claims with these signals."""
    found: list[Guard] = [*_assertion(a, b), *_subjects(a, b, overlap, signals), *_scopes(a, b)]
    if signals:
        found += [*_narrower(a, b, overlap, signals), *_parts(a, b, overlap), *_history(a, b)]
    return tuple(found)


def _assertion(a: Profile, b: Profile) -> Iterator[Guard]:
    if not (a.claim.asserted and b.claim.asserted):
        yield Guard("not asserted", "a question, an example or somebody else's words")
    elif _rule_and_event(a, b) or _rule_and_event(b, a):
        yield Guard("not asserted", "a rule and an event")
    elif "would" in (a.claim.modality, b.claim.modality):
        yield Guard("not asserted", "what would be, not what is")


def _rule_and_event(a: Profile, b: Profile) -> bool:
    """An instruction and a report of what happened do not disagree."""
    return a.claim.modality == "should" and b.claim.time == "past" and not b.claim.modality


def _subjects(
    a: Profile, b: Profile, overlap: Overlap, signals: tuple[Signal, ...]
) -> Iterator[Guard]:
    rest_a, rest_b = left_over(a, b, overlap, signals)
    things_a, things_b = rest_a & a.things, rest_b & b.things
    if things_a and things_b:
        yield Guard("subject", _sides(things_a, things_b))
    elif rest_a - a.things and rest_b - b.things:
        yield Guard("predicate", _sides(rest_a - a.things, rest_b - b.things))
    entities = [dict(p.claim.scope).get("entity") for p in (a, b)]
    if all(entities) and entities[0] != entities[1]:
        yield Guard("entity", " / ".join(sorted(str(entity) for entity in entities)))


def left_over(
    a: Profile, b: Profile, overlap: Overlap, signals: tuple[Signal, ...]
) -> tuple[frozenset[str], frozenset[str]]:
    """The words that only one side has and no signal accounts for."""
    rest_a, rest_b = overlap.rest_a, overlap.rest_b
    if any(s.name == "value" and s.detail.partition(":")[0] not in ("color",) for s in signals):
        rest_a, rest_b = rest_a - a.value, rest_b - b.value
    if any(s.name in ("numeric", "date") for s in signals):
        rest_a = rest_a - _counted(a) - opposites().measuring
        rest_b = rest_b - _counted(b) - opposites().measuring
    return rest_a - _conditional(b), rest_b - _conditional(a)


def _conditional(profile: Profile) -> frozenset[str]:
    """Words of a claim's conditions: the other side may say them in its main clause."""
    return frozenset(
        word
        for kind, value in profile.claim.scope
        if kind in ("with", "if")
        for word in value.split()
    )


def _counted(profile: Profile) -> frozenset[str]:
    return frozenset(q.unit.partition("/")[0] for q in profile.claim.quantities)


def _scopes(a: Profile, b: Profile) -> Iterator[Guard]:
    one, other = _by_kind(a), _by_kind(b)
    for kind in sorted(one.keys() | other.keys()):
        if kind in _NEUTRAL_KINDS:
            continue
        left, right = one.get(kind, frozenset()), other.get(kind, frozenset())
        if kind == "section":
            yield from _other_section(left, right)
            continue
        if kind in ("cell", "record"):
            yield from _other_cell(left, right)
            continue
        if kind in _POINTING_KINDS:
            if left and right and left != right:
                yield Guard("scope", f"{_POINTING_KINDS[kind]}: {_sides(left, right)}")
            continue
        if kind in ("table", "document"):
            yield from _other_document(kind, left, right)
            continue
        if left and right:
            if not left & right and not turning_point(left, right):
                yield Guard("scope", f"{kind}: {_sides(left, right)}")
        elif not _satisfied(left or right, b if left else a, kind):
            yield Guard("scope", f"{kind}: {' '.join(sorted(left or right))} on one side only")


def _other_document(kind: str, left: frozenset[str], right: frozenset[str]) -> Iterator[Guard]:
    """Both speak of their own file's thing: two modules' tables, two runbooks of one kind."""
    if not left or not right or (left == right and "" not in left):
        return
    kinds = [min(side).partition(": ")[0] for side in (left, right)]
    if kind == "table" or kinds[0] == kinds[1]:
        yield Guard("scope", f"another document: {_sides(left, right)}")


def _other_cell(left: frozenset[str], right: frozenset[str]) -> Iterator[Guard]:
    """Two rows, or two columns, of one table; the same cell under one title is of another file."""
    if left and right and left != right:
        places = [min(side).partition(": ")[0] for side in (left, right)]
        if places[0] == places[1]:
            yield Guard("scope", f"two places of one table or list: {_sides(left, right)}")


def _other_section(left: frozenset[str], right: frozenset[str]) -> Iterator[Guard]:
    """Tables under two headings of one file; the titles of two files do not match."""
    if left and right and left != right:
        titles = [min(side).partition(": ")[0] for side in (left, right)]
        if titles[0] == titles[1]:
            yield Guard("scope", f"another section: {_sides(left, right)}")


def turning_point(left: frozenset[str], right: frozenset[str]) -> str | None:
    """Which side is the later one of "before 2.0" and "since 2.0": `left`, `right` or None."""
    for value in sorted(left):
        word, _space, rest = value.partition(" ")
        for other in sorted(right):
            word_other, _space, rest_other = other.partition(" ")
            if rest and rest == rest_other:
                if word in ("before", "until", "till") and word_other in ("since", "after", "from"):
                    return "right"
                if word_other in ("before", "until", "till") and word in ("since", "after", "from"):
                    return "left"
    return None


def turn_of(a: Profile, b: Profile) -> str | None:
    """Which claim holds from the moment at which the other ceased to: `a`, `b` or None."""
    one, other = _by_kind(a), _by_kind(b)
    for kind in ("version", "period"):
        found = turning_point(one.get(kind, frozenset()), other.get(kind, frozenset()))
        if found:
            return "a" if found == "left" else "b"
    return None


def _by_kind(profile: Profile) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for kind, value in profile.claim.scope:
        found.setdefault(kind, set()).add(value)
    return {kind: frozenset(values) for kind, values in found.items()}


def _satisfied(values: frozenset[str], other: Profile, kind: str) -> bool:
    """Whether the other side names the condition itself ("with a key" / "a key gives you")."""
    words = {word for value in values for word in value.split()}
    known = other.terms.keys() | set(other.raw.values())
    return kind not in ("unless", "except", "without", "until") and words <= known


def _narrower(
    a: Profile, b: Profile, overlap: Overlap, signals: tuple[Signal, ...]
) -> Iterator[Guard]:
    """One side speaks of a special kind of what the other speaks of ("connection timeout")."""
    rest_a, rest_b = left_over(a, b, overlap, signals)
    denying = all(signal.name == "negation" for signal in signals)
    for profile, rest in ((a, rest_a), (b, rest_b)):
        if denying and not profile.denied:
            continue  # "no turtle swims" denies "a sick turtle swims" as well
        for word in sorted(rest & profile.things):
            if profile.kinds[word] in "nmp" and _modifies_shared(profile, word, overlap.shared):
                yield Guard("narrower", word)


def _modifies_shared(profile: Profile, word: str, shared: frozenset[str]) -> bool:
    term = profile.terms[word]
    if word in ("default",) or term.start < 0:
        return False
    for other, after in profile.terms.items():
        if profile.kinds[word] == "p" == profile.kinds[other]:
            continue  # another part of the same name
        if other in shared and profile.kinds[other] in "npg" and 0 <= after.start - term.end <= 1:
            return True
    return False


def _parts(a: Profile, b: Profile, overlap: Overlap) -> Iterator[Guard]:
    words = opposites().parts
    for profile in (a, b):
        alone = {w for w in profile.terms.keys() - overlap.shared if profile.raw[w] in words}
        if alone:
            yield Guard("part", f"a whole and a part, or a mean: {' '.join(sorted(alone))}")


def _history(a: Profile, b: Profile) -> Iterator[Guard]:
    times = (a.claim.time, b.claim.time)
    if "history" in times:
        yield Guard("history", "an entry of a changelog says what was true then")
    elif times == ("used_to", "used_to"):
        yield Guard("history", "both speak of the past")


def _sides(left: frozenset[str], right: frozenset[str]) -> str:
    return " / ".join(sorted((" ".join(sorted(left)), " ".join(sorted(right)))))
