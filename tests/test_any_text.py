"""Whatever people write, it is read, judged and kept without an error."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hebbs_index.claims_json import claims_from_text, claims_to_text
from hebbs_index.contradictions.judge import judge
from hebbs_index.layers.claims import claims_of_text
from hebbs_index.layers.nlp import load_language_model

PIECES = [
    "3",
    "30 seconds",
    "per minute",
    "https://docs.example.com/a/b?c=1",
    "10 http://x.y/z visitors",
    "10/2 calls",
    "v2.3.4",
    "$5,000",
    "no longer",
    "never",
    "must",
    "The limit of",
    "is",
    "not",
    "unless",
    "A/B tests",
    "50 % / day",
    "1e9",
    "٣",
    "—",
    ":",
    "|",
    "“",
    "\u200b",
    "9k ops/s",
    "2025-13-45",
    "12:61",
    "1.2.3.4/99",
]
texts = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map(" ".join),
    st.text(max_size=60),
)


@pytest.fixture(scope="module")
def plain():
    return load_language_model(enabled=False)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(first=texts, second=texts)
def test_any_two_texts_are_judged_without_a_parser(plain, first, second):
    hold(plain, first, second)


@pytest.mark.model
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(first=texts, second=texts)
def test_any_two_texts_are_judged_with_the_parser(nlp, first, second):
    hold(nlp, first, second)


def hold(language, first, second):
    sides = [claims_of_text(text, language) for text in (first, second)]
    assert [claims_from_text(claims_to_text(side)) for side in sides] == sides
    one = judge(sides[0], sides[1], text_a=first, text_b=second, similarity=None)
    other = judge(sides[1], sides[0], text_a=second, text_b=first, similarity=0.9)
    assert (one.label, one.score) == (other.label, other.score)
    assert 0.0 <= one.score <= 0.75
    for signal in one.signals:
        for span, text in ((signal.span_a, first), (signal.span_b, second)):
            assert span is None or span[0] < 0 or span[1] <= len(text)


def test_a_link_after_a_number_is_not_what_it_counts(nlp):
    text = "The notes list 12 https://docs.example.com/document/d/1/edit entries."
    (claim, *_rest) = claims_of_text(text, nlp)
    assert all("/" not in quantity.unit for quantity in claim.quantities)
