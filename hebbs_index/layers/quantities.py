"""Numbers of a text with what they measure: unit, kind, bound or range.

`find_quantities` reads a text by rules. It tells amounts from what only looks like
one (versions, years, ids, ordinals, ports), converts to a base unit where the
units data file has one, and keeps the place of every number.

A rate has the unit `noun/window`, the window in seconds. A date's value is
yyyymmdd, zero where the text leaves month, day or year out.
"""

from __future__ import annotations

import re
from dataclasses import replace

from hebbs_index.layers.quantity_amounts import amounts
from hebbs_index.layers.quantity_forms import marked
from hebbs_index.layers.quantity_units import (
    unit_of,
    units,
)
from hebbs_index.records import Quantity

_CHANGE = re.compile(
    r"\b(?:rais|increas|lower|reduc|decreas|chang|cut|mov|dropp|grew|grow|rose|fell|went|bump|updat)"
    r"\w*\b[^.]*\bfrom\s+[$€£]?$"
)


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """All numbers of a text in order, none overlapping another."""
    if not any(c.isdigit() for c in text) and not units().pattern.search(text):
        return ()
    found: list[Quantity] = []
    taken = [False] * (len(text) + 1)
    for quantity in (*marked(text), *amounts(text)):
        if not any(taken[quantity.start : quantity.end]):
            taken[quantity.start : quantity.end] = [True] * (quantity.end - quantity.start)
            found.append(quantity)
    return tuple(_joined_ranges(text, sorted(found, key=lambda q: q.start)))


def _joined_ranges(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Make "10 to 20 MB" and "between 1 and 2 hours" one quantity each."""
    joined: list[Quantity] = []
    for quantity in quantities:
        last = joined[-1] if joined else None
        if last and _changes(text, last, quantity):
            joined[-1] = quantity  # "raised from 20 to 30 seconds": the new value
            continue
        if last and _spans_range(text, last, quantity):
            low = last.value * (quantity.value and _unit_size(text, quantity))
            low = last.value if last.unit == quantity.unit else low
            if low <= quantity.value:
                joined[-1] = replace(
                    quantity,
                    value=low,
                    high=quantity.value,
                    start=last.start,
                    comparator="=",
                    text=text[last.start : quantity.end],
                )
                continue
        joined.append(quantity)
    return _with_list_units(text, joined)


def _changes(text: str, last: Quantity, quantity: Quantity) -> bool:
    """Whether two numbers are the old and the new value of something."""
    if text[last.end : quantity.start].strip().lower() != "to":
        return False
    before = text[max(0, last.start - 40) : last.start].lower()
    return bool(_CHANGE.search(before))


def _with_list_units(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Give every number of "8, 9 or 10 hours" the unit that stands at the end."""
    size = 1.0
    for place in range(len(quantities) - 2, -1, -1):
        number, after = quantities[place], quantities[place + 1]
        if _lists(text, number, after):
            if after.text[-1:].isalpha():  # the one that has the unit beside it
                size = _unit_size(text, after)
            value = number.value * size
            quantities[place] = replace(number, value=value, unit=after.unit, kind=after.kind)
    return quantities


def _lists(text: str, last: Quantity, quantity: Quantity) -> bool:
    """ "8, 9 or 10 hours": the unit holds for every number of the list."""
    if last.unit or last.kind != "amount" or not quantity.unit:
        return False
    between = text[last.end : quantity.start].strip().lower()
    return between in (",", "or", "and", ", or", ", and", "/")


def _spans_range(text: str, last: Quantity, quantity: Quantity) -> bool:
    if last.high is not None or last.kind not in ("amount", "version", quantity.kind):
        return False
    if last.unit not in ("", quantity.unit, "to", "through") or quantity.kind in (
        "id",
        "version",
        "ordinal",
    ):
        return False
    between = text[last.end : quantity.start].strip().lower()
    if between in ("-", "–", "—", "to", "through", "..", "..."):
        return True
    return between == "and" and text[: last.start].rstrip().lower().endswith("between")


def _unit_size(text: str, quantity: Quantity) -> float:
    """Size of the unit a quantity is written in, so that the number before it gets it too."""
    found = re.search(r"([A-Za-zµ]+)\s*$", quantity.text.split("/")[0].split(" per ")[0])
    unit = unit_of(found.group(1), glued=True) if found else None
    return unit[1] if unit and unit[0] != "money" else 1.0
