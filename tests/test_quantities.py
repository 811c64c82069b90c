"""Numbers: what they measure, and when two of them disagree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hebbs_index.contradictions.quantities import comparable, disagree, disagreement
from hebbs_index.layers.quantities import find_quantities
from hebbs_index.records import Quantity


def only(text: str) -> Quantity:
    (found,) = find_quantities(text)
    return found


@pytest.mark.parametrize(
    ("text", "value", "unit", "kind"),
    [
        ("Budget is $5,000 per tenant", 5000, "usd", "money"),
        ("The fee is 200 euros", 200, "eur", "money"),
        ("The read cap is 3.3k ops/s", 3300, "op/1", "rate"),
        ("It gives up after 60 seconds", 60, "duration", "duration"),
        ("It is stopped after one minute", 60, "duration", "duration"),
        ("Wait half a minute", 30, "duration", "duration"),
        ("Send 2 million requests a month", 2_000_000, "request/2592000", "rate"),
        ("Let 30 requests per 60 seconds through", 30, "request/60", "rate"),
        ("Limited to 250 an hour", 250, "/3600", "rate"),
        ("It costs $0.20 per hour", 0.2, "usd/3600", "money"),
        ("Files of 64GiB", 64 * 2**30, "bytes", "bytes"),
        ("A discount of 5 percent", 5, "percent", "percent"),
        ("A rate of 7%", 7, "percent", "percent"),
        ("We have twenty-five users", 25, "user", "amount"),
        ("In 2026 we grew", 2026, "", "year"),
        ("It ends on 1 September 2021", 20210901, "date", "date"),
        ("Valid until 2021-09-30", 20210930, "date", "date"),
        ("Since February 22, 2025", 20250222, "date", "date"),
        ("We meet at 10:30", 630, "clock", "date"),
        ("See PEP 8", 8, "pep", "id"),
        ("On port 8080", 8080, "port", "port"),
        ("The network is 10.2.0.0/16", None, "address", "id"),
        ("See issue #123", None, "", "id"),
        ("The 2nd try", None, "", "ordinal"),
        ("v2 is out", 2, "", "version"),
        ("It needs Node 18", 18, "node", "version"),
        ("Enabled since 2.0", 2, "", "version"),
    ],
)
def test_a_number_is_read_as_what_it_is(text, value, unit, kind):
    found = only(text)
    assert (found.unit, found.kind) == (unit, kind)
    assert value is None or found.value == pytest.approx(value)
    assert text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("at least 3 nodes", ">="),
        ("3 nodes or more", ">="),
        ("Node 18 or later", ">="),
        ("up to 15 MB", "<="),
        ("may not be larger than 100 MB", "<="),
        ("more than 15 MB", ">"),
        ("less than 15 MB", "<"),
        ("about 300 users", "~"),
        ("15 MB", "="),
    ],
)
def test_bounds_are_read_before_and_after_a_number(text, sign):
    assert only(text).comparator == sign


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("10-20 MB", 1e7, 2e7),
        ("10 to 20 minutes", 600, 1200),
        ("between 1 and 2 hours", 3600, 7200),
    ],
)
def test_a_range_is_one_quantity_in_one_unit(text, low, high):
    found = only(text)
    assert (found.value, found.high) == (low, high)


def test_the_unit_of_a_list_holds_for_all_its_numbers():
    assert {q.unit for q in find_quantities("8, 9 or 10 hours")} == {"duration"}


def test_versions_compare_part_by_part():
    assert only("It needs Python 3.9").value < only("It needs Python 3.11").value


@given(st.text(max_size=120))
def test_any_text_gives_quantities_in_order_and_within_it(text):
    found = find_quantities(text)
    places = [(q.start, q.end) for q in found]
    assert places == sorted(places)
    assert all(0 <= start < end <= len(text) for start, end in places)


@given(st.text("0123456789.,-/ $%kMGBsmhup'aneor", max_size=40))
def test_no_run_of_number_like_characters_breaks_the_reader(text):
    for found in find_quantities(text):
        assert not disagree(found, found, limit=False)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("60 seconds", "one minute"),
        ("90 days", "three months"),
        ("1000 MB", "1 GB"),
        ("1 GiB", "1024 MiB"),
        ("at most 30 seconds", "20 seconds"),
        ("at least 3 nodes", "5 nodes"),
        ("10 to 20 minutes", "15 minutes"),
        ("about 300 users", "304 users"),
        ("3.14 m", "3.1 m"),
        ("12 months", "365 days"),
        ("30 requests per minute", "30 requests per 60 seconds"),
        ("250 calls a minute", "5,000 calls an hour"),
        ("30 September 2021", "2021-09-30"),
        ("September 2021", "2021-09-30"),
    ],
)
def test_quantities_that_can_both_hold_do_not_disagree(first, second):
    a, b = only(first), only(second)
    assert comparable(a, b)
    assert not disagree(a, b, limit=False)
    assert not disagree(b, a, limit=False)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("60 seconds", "5 minutes"),
        ("$5,000", "$2,000"),
        ("up to 10 MB", "up to 15 MB"),
        ("at most 30 seconds", "60 seconds"),
        ("30 requests per second", "30 requests per 60 seconds"),
        ("1 September 2021", "2021-09-30"),
        ("3 years", "30 months"),
        ("10 to 20 minutes", "30 minutes"),
        ("Node 18 or later", "Node 22 or newer"),
        ("5 nodes", "7 nodes"),
        ("5,010,000 rows", "5,020,000 rows"),
        ("2000 seconds", "2010 seconds"),
    ],
)
def test_quantities_that_cannot_both_hold_disagree(first, second):
    a, b = only(f"It needs {first}"), only(f"It needs {second}")
    assert comparable(a, b)
    assert disagree(a, b, limit=False)
    assert disagree(b, a, limit=False)


def test_a_limit_given_as_plain_number_and_as_bound_is_one_number():
    assert disagree(only("50 MB"), only("up to 100 MB"), limit=True)
    assert not disagree(only("50 MB"), only("up to 100 MB"), limit=False)


def test_other_units_are_not_compared():
    assert not comparable(only("5 nodes"), only("7 users"))
    assert not comparable(only("$5"), only("€7"))
    assert disagreement(find_quantities("5 nodes"), find_quantities("7 users"), limit=False) is None


def test_one_agreeing_partner_is_enough():
    first = find_quantities("3 nodes and 5 nodes")
    second = find_quantities("5 nodes and 9 nodes")
    assert disagreement(first, second, limit=False) is None
