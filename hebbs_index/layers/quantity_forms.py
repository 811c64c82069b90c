"""Numbers whose form alone says what they are: dates, versions, addresses, ids, times of day."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hebbs_index.layers.quantity_units import bound_after, bound_before
from hebbs_index.records import Quantity

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip


_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))


_DATES = (
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{2})(?:-(?P<d>\d{2}))?\b(?!\w|-\d|\.\d)"),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<mon>{_MONTH})\.?,?(?:\s+(?P<y>\d{{4}}))?\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<mon>{_MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*(?:%|:|users?|GB|MB))(?:,?\s+(?P<y>\d{{4}}))?",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<mon>{_MONTH})\.?,?\s+(?:of\s+)?(?P<y>\d{{4}})\b", re.IGNORECASE),
)


_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?::\d+)?\b(?!\.\d)")


_VERSION = re.compile(r"(?<![\w.])(?:[vV]\d+(?:\.\d+)*[\w-]*|\d+(?:\.\d+){2,}[\w-]*)(?![\w/])")


_CLOCK = re.compile(
    r"\b(?P<h>[01]?\d|2[0-3]):(?P<mi>[0-5]\d)(?::\d\d)?\s*(?P<ap>[ap]\.?m\b\.?)?", re.I
)


_HOUR = re.compile(r"\b(?P<h>1[0-2]|0?[1-9])\s?(?P<ap>[ap]\.?m)\b\.?", re.I)


_ORDINAL = re.compile(r"\b\d+(?:st|nd|rd|th)\b", re.IGNORECASE)


_ID = re.compile(
    r"(?<!\w)#\d+\b|\b[A-Z]{2,}-\d+\b|\b[0-9a-f]*\d[0-9a-f]*[a-f][0-9a-f]{5,}\b"
    r"|\+\d[\d ()-]{6,}\d|\b0x[0-9a-fA-F]+\b"
)


def marked(text: str) -> Iterator[Quantity]:
    """Numbers whose form alone says what they are."""
    for pattern in _DATES:
        for match in pattern.finditer(text):
            date = _date(match)
            if date:
                yield Quantity(
                    date,
                    "date",
                    "date",
                    *match.span(),
                    bound_before(text, match.start(), "="),
                    None,
                    match.group(),
                )
    for kind, pattern in (
        ("id", _ADDRESS),
        ("id", _ID),
        ("version", _VERSION),
        ("ordinal", _ORDINAL),
    ):
        for match in pattern.finditer(text):
            yield _plain(kind, match, text, "address" if pattern is _ADDRESS else "")
    for pattern in (_CLOCK, _HOUR):
        for match in pattern.finditer(text):
            yield Quantity(
                _minutes(match), "clock", "date", *match.span(), "=", None, match.group()
            )


def _plain(kind: str, match: re.Match[str], text: str, unit: str = "") -> Quantity:
    value = version_value(match.group())
    sign = "="
    if kind == "version":
        sign = bound_after(text, match.end(), bound_before(text, match.start(), "="))
    return Quantity(value, unit, kind, *match.span(), sign, None, match.group())


def version_value(written: str) -> float:
    """A number that orders versions part by part: 3.9 before 3.11."""
    parts = [int(part[:12]) for part in re.findall(r"\d+", written)[:5]]
    return float(sum(part / 1000.0**place for place, part in enumerate(parts)))


def _date(match: re.Match[str]) -> float:
    parts = match.groupdict()
    month = MONTHS[parts["mon"].lower()] if parts.get("mon") else int(parts["m"])
    day = int(parts["d"]) if parts.get("d") else 0
    year = int(parts["y"]) if parts.get("y") else 0
    if not 1 <= month <= 12 or day > 31 or (parts.get("mon") == "may" and not year):
        return 0.0
    return float(year * 10000 + month * 100 + day)


def _minutes(match: re.Match[str]) -> float:
    parts = match.groupdict()
    hour, minute = int(parts["h"]), int(parts.get("mi") or 0)
    half = (parts.get("ap") or "")[:1].lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return float(hour * 60 + minute)
