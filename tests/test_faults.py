"""The faults that the mutation benchmark plants: one small edit each, always the same ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import faults
from benchmarks.faults import faults_in

SOURCE = '''"""A module."""

LIMIT = 3


def pick(first: int, second: int, *, strict: bool = False) -> int:
    """Pick 1 of 2."""
    if first < second and not strict:
        swap(first, second)
        return first + LIMIT
    raise ValueError(f"{first} is not below {1 + 1}")


QUERY = "SELECT id FROM é WHERE a = ? AND b IN (?)"
'''


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("first < second", "first <= second"),
        ("second and not", "second or not"),
        ("not strict", "strict"),
        ("if first < second and not strict", "if not (first < second and not strict)"),
        ("LIMIT = 3", "LIMIT = 4"),
        ("swap(first, second)", "swap(second, first)"),
        ("        swap(first, second)", "        pass"),
        ("first + LIMIT", "first - LIMIT"),
        ("a = ? AND", "a <> ? AND"),
        ("a = ? AND b", "a = ? OR b"),
        ("b IN (", "b NOT IN ("),
    ],
)
def test_each_kind_of_fault_is_one_edit(before, after):
    planted = {fault.plant(SOURCE) for fault in faults_in(SOURCE)}

    assert SOURCE.replace(before, after, 1) in planted


def test_words_that_nobody_runs_are_left_alone():
    changed = [fault.plant(SOURCE) for fault in faults_in(SOURCE)]

    assert all('"""Pick 1 of 2."""' in text for text in changed)
    assert all('raise ValueError(f"{first} is not below {1 + 1}")' in text for text in changed)
    assert all("first: int, second: int" in text for text in changed)


def test_faults_of_a_real_module_are_valid_changes_and_come_in_a_fixed_order():
    source = Path(faults.__file__).read_text(encoding="utf-8")

    found = faults_in(source)

    assert found == faults_in(source)
    assert len(found) > 30
    assert all(fault.plant(source) != source for fault in found)
