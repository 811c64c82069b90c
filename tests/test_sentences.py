"""Sentences end where rules over characters say, and in doubt they do not end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hebbs_index.layers.sentences import MAX_SENTENCE_CHARACTERS, sentence_ranges


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_ranges(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is fast. It is small.", ["It is fast.", "It is small."]),
        ("Is it on? Yes! Good.", ["Is it on?", "Yes!", "Good."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("See (the guide.) Then go on.", ["See (the guide.)", "Then go on."]),
        ("It failed. kubectl was missing.", ["It failed.", "kubectl was missing."]),
        ("これは一つ。これは二つ。", ["これは一つ。", "これは二つ。"]),
    ],
)
def test_a_stop_before_a_new_start_ends_a_sentence(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "first",
    [
        "The cap is 9k ops/s.",
        "The road is limited to 50 km/h.",
        "It answers within 300 calls/min.",
        "A probe takes 30 s.",
        "The cable carries 5 V/m.",
        "A retry waits 1.5 min.",
    ],
)
def test_a_unit_ends_a_sentence_as_any_word_does(first: str) -> None:
    assert sentences(f"{first} Calls above it fail.") == [first, "Calls above it fail."]


@pytest.mark.parametrize(
    "text",
    [
        "Use a cache, e.g. Redis, for reads.",
        "Keys (i.e. Names) are folded.",
        "Ask Dr. Smith or J. R. Jones about it.",
        "It ran on Jan. 3 at Acme Inc. in Ohio.",
        "The EU-U.S. DPF applies here.",
        "See No. 5 and p. 12 of vol. 2 for it.",
        "Install foo==1.2.3 and bar v2.0 from example.com today.",
        "1. First step of all",
        "Wait ... and see.",
        "Yahoo! is a company.",
        "Read fig. 3, cf. Table 2.",
        "It is for and/or J. Smith to say.",
        "Ask the heads e.g./i.e. Alice and Bob.",
        "It waits 5 min. per attempt.",
    ],
)
def test_abbreviations_numbers_and_names_end_no_sentence(text: str) -> None:
    assert sentences(text) == [text]


def test_a_company_suffix_ends_a_sentence_before_a_word_that_opens_sentences() -> None:
    assert sentences("We bought it from Acme Inc. The price rose.") == [
        "We bought it from Acme Inc.",
        "The price rose.",
    ]


def test_a_run_without_a_stop_is_cut_at_a_space() -> None:
    text = "word " * MAX_SENTENCE_CHARACTERS

    pieces = sentences(text)

    assert all(len(piece) <= MAX_SENTENCE_CHARACTERS for piece in pieces)
    assert " ".join(pieces) == text.strip()


@given(st.text(alphabet="aB1.!? \n\"'()。-", max_size=200))
def test_sentences_are_trimmed_in_order_and_lose_only_white_space(text: str) -> None:
    ranges = sentence_ranges(text)

    kept = "".join(text[start:end] for start, end in ranges)
    assert "".join(kept.split()) == "".join(text.split())
    assert all(a < b for a, b in ranges)
    assert all(first[1] <= second[0] for first, second in pairwise(ranges))
    assert all(text[a:b] == text[a:b].strip() for a, b in ranges)
