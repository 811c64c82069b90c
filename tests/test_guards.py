"""Guards: disagreements that are none, and why."""

from __future__ import annotations

import pytest

from hebbs_index.contradictions.guards import _other_document
from hebbs_index.contradictions.judge import flagged, judge
from hebbs_index.layers.claims import claims_of_text
from hebbs_index.records import Judgement

pytestmark = pytest.mark.model


def judged(nlp, first: str, second: str, **context) -> Judgement:
    a = claims_of_text(first, nlp, **context.get("a", {}))
    b = claims_of_text(second, nlp, **context.get("b", {}))
    return judge(a, b, text_a=first, text_b=second, similarity=None)


@pytest.mark.parametrize(
    ("first", "second", "guard"),
    [
        ("Logs are kept for 90 days.", "Metrics are kept for 30 days.", "subject"),
        ("Users upload 10 files per day.", "Users delete 5 files per day.", "predicate"),
        ("In staging the cap is 3 MB.", "In production the cap is 9 MB.", "scope"),
        ("The cap is 9 MB.", "In staging the cap is 3 MB.", "scope"),
        ("In version 1 the cap is 3 MB.", "In version 2 the cap is 9 MB.", "scope"),
        ("The timeout is 60 seconds.", "The connection timeout is 30 seconds.", "narrower"),
        ("The total cost is 900 euros.", "The cost is 200 euros.", "part"),
        ("Is the gateway not reliable?", "The gateway is reliable.", "not asserted"),
        ("We would not use the cache.", "We use the cache.", "not asserted"),
        ("The other key is public.", "The key is private.", "scope"),
    ],
)
def test_a_guard_explains_why_a_pair_is_not_flagged(nlp, first, second, guard):
    found = judged(nlp, first, second)
    assert not flagged(found, 0.35)
    assert guard in {g.name for g in found.guards}


def test_declared_entities_are_subjects_of_their_own(nlp):
    found = judged(
        nlp,
        "The budget is $5,000.",
        "The budget is $2,000.",
        a={"declared_entity": "acme"},
        b={"declared_entity": "globex"},
    )
    assert "entity" in {g.name for g in found.guards}
    assert not flagged(found, 0.35)


def test_one_entity_written_two_ways_is_one_subject(nlp):
    found = judged(
        nlp,
        "The budget is $5,000.",
        "The budget is $2,000.",
        a={"declared_entity": "Globex-Corp"},
        b={"declared_entity": "globex corp"},
    )
    assert flagged(found, 0.35)


def test_guards_leave_the_score_alone(nlp):
    free = judged(nlp, "The cap is 3 MB.", "The cap is 9 MB.")
    held = judged(nlp, "In staging the cap is 3 MB.", "In production the cap is 9 MB.")
    assert held.score == pytest.approx(free.score, abs=0.15)
    assert held.label == "scope"


def test_a_condition_that_the_other_side_states_is_no_difference(nlp):
    found = judged(
        nlp, "With a key you can send 90 requests a day.", "A key gives you 20 requests a day."
    )
    assert flagged(found, 0.35)


@pytest.mark.parametrize(
    ("kind", "left", "right", "guarded"),
    [
        ("table", {"a.md: caps"}, {"b.md: caps"}, True),
        ("document", {"a.md: caps"}, {"a.md: costs"}, True),
        ("document", {"a.md: caps"}, {"b.md: caps"}, False),
        ("table", {"a.md: caps"}, {"a.md: caps"}, False),
        ("table", {"a.md: caps"}, set(), False),
    ],
)
def test_tables_of_two_files_and_parts_of_one_kind_are_of_their_own(kind, left, right, guarded):
    found = list(_other_document(kind, frozenset(left), frozenset(right)))

    assert [guard.name for guard in found] == (["scope"] if guarded else [])
