"""Whether two quantities disagree: same unit, and no reading under which both hold.

Bounds, ranges, rounding and units count: "60 seconds" and "one minute" agree, so do "at most 30"
and "20", and "10 to 20" and "15". Two bounds of one kind disagree when they differ,
because a limit is one number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from hebbs_index.records import Quantity

_TOLERANCE = 0.05  # relative: 1000 against 1024, rounding to two digits
_MONTHS = 2_592_000.0
_YEAR = 31_536_000.0
_MEASURES = frozenset(
    ("amount", "money", "percent", "duration", "bytes", "rate", "date", "version", "year")
)

_SECONDS = re.compile(r"[1-9]\d*(?:\.\d+)?")


def disagree(first: Quantity, second: Quantity, *, limit: bool) -> bool:
    """Whether no reading lets both hold. `limit`: the claims state a limit, so `=` is one too."""
    if first.unit == "address":
        return first.text != second.text
    if first.kind == "date" or second.kind == "date":
        return _dates_disagree(first, second)
    if first.unit.partition("/")[2] != second.unit.partition("/")[2]:
        return _rates_disagree(first, second)
    low_a, high_a = _interval(first, limit)
    low_b, high_b = _interval(second, limit)
    if _bounded_alike(low_a, high_a, low_b, high_b):
        one, other = (high_a, high_b) if math.isinf(low_a) else (low_a, low_b)
        return not _equal(one, other, first, second)
    if _is_point(low_a, high_a) and _is_point(low_b, high_b):
        return not _equal(low_a, low_b, first, second)
    return (high_a < low_b and not _equal(high_a, low_b, first, second)) or (
        high_b < low_a and not _equal(high_b, low_a, first, second)
    )


def comparable(first: Quantity, second: Quantity) -> bool:
    """Whether two quantities could measure the same thing."""
    if first.unit == second.unit == "address":
        return True
    if first.kind not in _MEASURES or second.kind not in _MEASURES:
        return False
    unit_a, _slash, window_a = first.unit.partition("/")
    unit_b, _slash, window_b = second.unit.partition("/")
    if "date" in (first.kind, second.kind) or "version" in (first.kind, second.kind):
        return first.kind == second.kind and (unit_a == unit_b or not (unit_a and unit_b))
    if bool(window_a) != bool(window_b):
        return False
    return unit_a == unit_b or (
        not (unit_a and unit_b) and {first.kind, second.kind} <= {"amount", "rate", "year"}
    )


def disagreement(
    first: Sequence[Quantity], second: Sequence[Quantity], *, limit: bool
) -> tuple[Quantity, Quantity] | None:
    """The first pair of quantities that disagree, where no comparable pair agrees."""
    found: tuple[Quantity, Quantity] | None = None
    for one in first:
        partners = [other for other in second if comparable(one, other)]
        if not partners:
            continue
        if any(not disagree(one, other, limit=limit) for other in partners):
            continue
        rivals = [other for other in first if other is not one and comparable(other, partners[0])]
        if any(not disagree(rival, other, limit=limit) for rival in rivals for other in partners):
            continue
        found = found or (one, partners[0])
    return found


def describe(quantity: Quantity) -> str:
    """A quantity as written, for people."""
    return quantity.text or f"{quantity.value:g} {quantity.unit}".strip()


def _interval(quantity: Quantity, limit: bool) -> tuple[float, float]:
    value = quantity.value
    if quantity.high is not None:
        return value, quantity.high
    if quantity.comparator in ("<", "<="):
        return -math.inf, value
    if quantity.comparator in (">", ">="):
        return (-math.inf, value) if limit else (value, math.inf)
    if limit:
        return -math.inf, value
    if quantity.comparator == "~":
        return value * 0.9, value * 1.1
    return value, value


def _is_point(low: float, high: float) -> bool:
    return low == high


def _bounded_alike(low_a: float, high_a: float, low_b: float, high_b: float) -> bool:
    below = math.isinf(low_a) and math.isinf(low_b)
    above = math.isinf(high_a) and math.isinf(high_b)
    return below or above


def _equal(one: float, other: float, first: Quantity, second: Quantity) -> bool:
    """Equal up to rounding: months count 30 days, a kilobyte 1000 bytes or 1024."""
    largest = max(abs(one), abs(other))
    if largest == 0 or one == other:
        return True
    if first.kind == "duration" and largest >= _MONTHS:
        return abs(one - other) <= 0.02 * largest
    if first.kind == "bytes":
        return abs(one - other) <= _TOLERANCE * largest
    return _rounds_to(one, other) or _rounds_to(other, one)


def _rounds_to(exact: float, rounded: float) -> bool:
    """Whether one number is the other, rounded to the two or more digits it shows."""
    if rounded == 0:
        return False
    digits = len(f"{abs(rounded):.12g}".replace(".", "").strip("0"))
    if digits < 2:
        return False
    places = digits - 1 - math.floor(math.log10(abs(exact))) if exact else 0
    return math.isclose(round(exact, places), rounded, rel_tol=1e-9)


def _rates_disagree(first: Quantity, second: Quantity) -> bool:
    """Two windows may be two limits that both hold, unless the same count stands in both."""
    if math.isclose(first.value / _window(first), second.value / _window(second), rel_tol=0.02):
        return False
    return first.value == second.value and first.kind != "money"


def _window(quantity: Quantity) -> float:
    """The seconds a rate is counted over ("call/60"); 1 for what is no rate."""
    window = quantity.unit.rpartition("/")[2]
    return float(window) if _SECONDS.fullmatch(window) else 1.0


def _dates_disagree(first: Quantity, second: Quantity) -> bool:
    if first.unit != second.unit:
        return False
    if first.unit == "clock":
        return first.value != second.value
    for one, other in zip(_date_parts(first.value), _date_parts(second.value), strict=True):
        if one and other and one != other:
            return True
    return False


def _date_parts(value: float) -> tuple[int, int, int]:
    whole = int(value)
    return whole // 10000, whole // 100 % 100, whole % 100
