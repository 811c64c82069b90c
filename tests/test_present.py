"""The older statement comes first, and the words that differ stay in view."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hebbs_index.contradictions.present import order_of, snippet, suggest, swapped
from hebbs_index.records import Dated, Judgement, Label, Signal, VerdictKind

PLAIN = Judgement(Label.CONFLICT, 0.5)


def test_the_stated_date_decides_which_statement_is_older():
    newer = Dated("2025-03-01", "front matter")
    older = Dated("2025-01", "file name")
    order = order_of(newer, older, PLAIN, keys=("a", "b"))
    assert order.swap
    assert order.basis == "front matter and file name"


def test_a_month_and_a_day_within_it_have_no_order():
    order = order_of(
        Dated("2025-01", "file name"), Dated("2025-01-20", "heading"), PLAIN, keys=("a", "b")
    )
    assert (order.swap, order.basis) == (False, None)


@pytest.mark.parametrize(("supersedes", "swap"), [("a", True), ("b", False)])
def test_without_dates_the_wording_gives_the_direction(supersedes, swap):
    judgement = Judgement(Label.UPDATE, 0.5, supersedes=supersedes)
    order = order_of(Dated(), Dated(), judgement, keys=("a", "b"))
    assert (order.swap, order.basis) == (swap, "wording")


def test_dates_win_over_wording():
    judgement = Judgement(Label.UPDATE, 0.5, supersedes="a")
    order = order_of(
        Dated("2024-01-01", "heading"), Dated("2025-01-01", "heading"), judgement, keys=("b", "a")
    )
    assert (order.swap, order.basis) == (False, "heading")


def test_with_neither_the_key_orders_and_no_direction_is_claimed():
    order = order_of(Dated(), Dated(), PLAIN, keys=("b", "a"))
    assert (order.swap, order.basis) == (True, None)


def test_swapping_twice_gives_the_same_judgement():
    judgement = Judgement(Label.UPDATE, 0.4, (Signal("value", (0, 3), None, "x"),), (), "a")
    assert swapped(swapped(judgement)) == judgement
    assert swapped(judgement).signals[0].span_b == (0, 3)


def test_an_update_suggests_a_revision():
    assert suggest(Label.UPDATE) is VerdictKind.REVISION
    assert suggest(Label.CONFLICT) is VerdictKind.CONTRADICTION


@given(st.integers(0, 900), st.integers(1, 30))
def test_a_snippet_shows_the_differing_words_and_stays_short(start, length):
    words = " ".join(f"word{number}" for number in range(150))
    start = min(start, len(words) - length)
    shown = snippet(words, ((start, start + length),))
    assert len(shown) <= 300
    assert words[start : start + length] in shown


def test_a_short_text_is_shown_whole():
    assert snippet("short", ((0, 2),)) == "short"
