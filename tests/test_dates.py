"""Only what can be read one way is a date."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hebbs_index.layers.dates import date_of_file, date_of_headings, date_of_name, stated_date
from hebbs_index.records import Dated


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-03-05", "2024-03-05"),
        ("2024/3/5 planning", "2024-03-05"),
        ("March 5, 2024", "2024-03-05"),
        ("Meeting on the 5th of March 2024", "2024-03-05"),
        ("Sep. 5, 2020", "2020-09-05"),
        ("05-Mar-2001", "2001-03-05"),
        ("2024-03-05T10:00:00Z", "2024-03-05"),
        ("13/04/2024", "2024-04-13"),
        ("04/04/2024", "2024-04-04"),
        ("March 2024 notes", "2024-03"),
        ("2024-03", "2024-03"),
    ],
)
def test_one_clear_date_is_read(text: str, expected: str) -> None:
    assert stated_date(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "03/04/2024",
        "2024-03-05 to 2024-03-09",
        "2024-13-45",
        "Release 1.2024",
        "Chapter 2024",
        "version 10.3.1",
        "May the force",
    ],
)
def test_unclear_impossible_and_several_dates_are_none(text: str) -> None:
    assert stated_date(text) is None


@given(st.dates(min_value=dt.date(1950, 1, 1), max_value=dt.date(2099, 12, 31)))
def test_an_iso_date_is_read_back(day: dt.date) -> None:
    assert stated_date(f"Notes of {day.isoformat()}") == day.isoformat()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("notes/2024-03-01-standup.md", "2024-03-01"),
        ("20240301.md", "2024-03-01"),
        ("log_2024_03_01.md", "2024-03-01"),
        ("2024-03.md", "2024-03"),
        ("202403.md", None),
        ("2024-03-01/readme.md", None),
        ("v1.2.3.md", None),
        ("2024-03-01-to-2024-04-01.md", None),
    ],
)
def test_a_file_name_dates_its_file_when_it_is_clear(path: str, expected: str | None) -> None:
    assert date_of_name(path) == expected


def test_the_innermost_dated_heading_counts() -> None:
    assert date_of_headings(("2024-01-01", "2024-02-02", "Agenda")) == "2024-02-02"
    assert date_of_headings(("Agenda",)) is None


def test_front_matter_wins_over_the_file_name_and_an_update_over_the_beginning() -> None:
    matter = {"date": "2023-01-01", "Last-Updated": "2024-05-06"}

    assert date_of_file("2020-01-01.md", matter) == Dated("2024-05-06", "front matter")
    assert date_of_file("2020-01-01.md", {}) == Dated("2020-01-01", "file name")
    assert date_of_file("notes.md", {"date": "soon"}) == Dated()
