"""Dates that a file states of itself: in front matter, in its name, in a heading.

Only what can be read one way is a date. "03/04/2024" is the third of April to some
and the fourth of March to others, so it is none; two dates in one heading are none.
Results are ISO 8601, to the day (2024-03-05) or the month (2024-03).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from hebbs_index.records import Dated

# The more a key speaks of the text as it stands now, the earlier it is asked.
_KEYS = tuple(
    key
    for line in (
        "last_updated last_update updated updated_at updated_on last_modified lastmod modified",
        "date_modified last_reviewed_on last_reviewed revised date date_published published",
        "published_at publish_date created created_at date_created",
    )
    for key in line.split()
)

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_PATTERNS = tuple(
    re.compile(rf"(?<![\w.]){pattern}(?![\w%])", re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}(?P<sep>[-/.])(?P<month>[01]?\d)(?P=sep)(?P<day>[0-3]?\d)(?:[T ]\d\d:?\d\d\S*)?",
        rf"(?P<day>[0-3]?\d)(?P<sep>[-/.])(?P<month>[01]?\d)(?P=sep){_YEAR}",
        rf"(?P<month>[01]?\d)(?P<sep>[-/.])(?P<day>[0-3]?\d)(?P=sep){_YEAR}",
        rf"{_MONTH}[ -]{_DAY},?[ -]{_YEAR}",
        rf"{_DAY}(?: of)?[ -]{_MONTH},?[ -]{_YEAR}",
        rf"{_YEAR}[ -]{_MONTH}[ -]{_DAY}",
        rf"{_YEAR}-(?P<month>0\d|1[0-2])(?![-/.]?\d)",
        rf"{_MONTH},? {_YEAR}",
    )
)
_IN_NAME = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<sep>[-_.]?)(?P<month>0[1-9]|1[0-2])"
    r"(?:(?P=sep)(?P<day>[0-3]\d))?(?!\d)"
)


def stated_date(text: str) -> str | None:
    """The one date that a text names, or None when it names none, several or an unclear one."""
    found = {
        (match.span(), _iso(match)) for pattern in _PATTERNS for match in pattern.finditer(text)
    }
    outermost = [
        (span, date)
        for span, date in found
        if not any(_inside(span, other) for other, _ in found if other != span)
    ]
    dates = {date for _, date in outermost}
    # A span that reads two ways gives two dates here, unless one is not in the calendar.
    dates.discard(None)
    return dates.pop() if len(dates) == 1 else None


def date_of_headings(heading_path: Iterable[str]) -> str | None:
    """The date of the innermost heading that states one."""
    for heading in reversed(tuple(heading_path)):
        if (date := stated_date(heading)) is not None:
            return date
    return None


def date_of_file(path: str, front_matter: Mapping[str, Any]) -> Dated:
    """What the file as a whole is dated: its front matter, else its name."""
    if (date := _date_of_front_matter(front_matter)) is not None:
        return Dated(date, "front matter")
    if (date := date_of_name(path)) is not None:
        return Dated(date, "file name")
    return Dated()


def _date_of_front_matter(front_matter: Mapping[str, Any]) -> str | None:
    values = {_folded(key): value for key, value in front_matter.items()}
    for key in _KEYS:
        value = values.get(key)
        if isinstance(value, str) and (date := stated_date(value)) is not None:
            return date
        if isinstance(value, int) and (date := date_of_name(str(value))) is not None:
            return date
    return None


def _folded(key: object) -> str:
    return re.sub(r"[\s-]+", "_", str(key).strip().casefold())


def date_of_name(path: str) -> str | None:
    """The one date in the last part of a path; bare "202403" may be any number, so is none."""
    name = PurePosixPath(path).name
    dates = {
        _iso(match)
        for match in _IN_NAME.finditer(name)
        if match["sep"] or match["day"]  # "202403" alone could count anything
    }
    dates.discard(None)
    return dates.pop() if len(dates) == 1 else None


def _iso(match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    month = groups["month"].casefold().rstrip(".")
    year, number = int(groups["year"]), _MONTHS.get(month) or (int(month) if month.isdigit() else 0)
    try:
        if groups.get("day") is None:
            return f"{dt.date(year, number, 1):%Y-%m}"
        return dt.date(year, number, int(groups["day"])).isoformat()
    except ValueError:
        return None


def _inside(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return other[0] <= span[0] and span[1] <= other[1]
