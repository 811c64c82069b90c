"""Labels: what agreement, disagreement and wording make of a pair."""

from __future__ import annotations

import pytest

from hebbs_index.contradictions.guards import BLOCKING, SCOPING
from hebbs_index.contradictions.label import direction, label_of
from hebbs_index.contradictions.overlap import compare
from hebbs_index.contradictions.profile import Profile, profile_of
from hebbs_index.layers.claims import claims_of_text
from hebbs_index.records import Guard, Label, Signal

pytestmark = pytest.mark.model

NUMERIC = Signal("numeric", None, None, "3 / 9")
STATUS = Signal("status", None, None, "used to")


def sides(nlp, first: str, second: str) -> tuple[Profile, Profile]:
    return profile_of(claims_of_text(first, nlp)[0]), profile_of(claims_of_text(second, nlp)[0])


def label(nlp, first: str, second: str, signals=(), guards=()) -> Label:
    a, b = sides(nlp, first, second)
    return label_of(a, b, compare(a, b), signals, guards)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("The gateway stores backups.", "The gateway stores backups.", Label.DUPLICATE),
        ("The gateway stores backups.", "The gateway stores encrypted backups.", Label.REFINEMENT),
        ("The gateway stores encrypted backups.", "The gateway stores backups.", Label.REFINEMENT),
        ("The gateway stores old backups.", "The gateway stores encrypted backups.", Label.NONE),
        ("The gateway stores backups.", "Alice paints houses.", Label.NONE),
    ],
)
def test_agreeing_statements_are_equal_or_one_says_more(nlp, first, second, expected):
    assert label(nlp, first, second) == expected


def test_a_signal_without_guards_is_a_conflict(nlp):
    assert label(nlp, "The cap is 3 MB.", "The cap is 9 MB.", [NUMERIC]) == Label.CONFLICT


@pytest.mark.parametrize(("names", "expected"), [(BLOCKING, Label.NONE), (SCOPING, Label.SCOPE)])
def test_guards_decide_before_signals_do(nlp, names, expected):
    for name in names:
        guards = [Guard(name, "")]
        found = label(nlp, "The cap is 3 MB.", "The cap is 9 MB.", [NUMERIC], guards)
        assert found == expected, name


@pytest.mark.parametrize(
    ("first", "second", "newer"),
    [
        ("The cap is 3 MB.", "The cap is 9 MB.", None),
        ("The cap is 3 MB.", "The cap is now 9 MB.", "b"),
        ("The cap was 3 MB.", "The cap is now 9 MB.", "b"),
        ("The cap is now 3 MB.", "The cap is now 9 MB.", None),
        ("The cap is 3 MB.", "The cap was raised to 9 MB.", "b"),
        ("The cap used to be 3 MB.", "The cap is 9 MB.", "b"),
    ],
)
def test_wording_gives_the_direction_and_swapping_swaps_it(nlp, first, second, newer):
    a, b = sides(nlp, first, second)

    assert direction(a, b, [NUMERIC]) == newer
    assert direction(b, a, [NUMERIC]) == {"a": "b", "b": "a", None: None}[newer]


def test_used_to_ends_what_the_other_side_still_says_unless_a_value_differs_too(nlp):
    a, b = sides(nlp, "Alice used to live in Oslo.", "Alice lives in Oslo.")

    assert direction(a, b, [STATUS]) == "a"
    assert direction(a, b, [STATUS, NUMERIC]) == "b"
