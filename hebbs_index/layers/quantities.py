"""Numbers of a text with what they measure: unit, kind, bound or range.

`find_quantities` reads a text by rules. It tells amounts from what only looks like
one (versions, years, ids, ordinals, ports), converts to a base unit where the
units data file has one, and keeps the place of every number.

A rate has the unit `noun/window`, the window in seconds. A date's value is
yyyymmdd, zero where the text leaves month, day or year out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from hebbs_index.layers.lexicon import load_toml
from hebbs_index.layers.vocabulary import vocabulary
from hebbs_index.records import Quantity
from hebbs_index.words import fold_word

_MONTHS = {
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
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
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
    r"(?<!\w)#\d+\b|\b[A-Z]{2,}-\d+\b|\b[0-9a-f]*\d[0-9a-f]*[a-f][0-9a-f]{5,}\b|\+\d[\d ()-]{6,}\d|\b0x[0-9a-fA-F]+\b"
)
_DIGITS = r"\d{1,3}(?:[,  ’']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_LABELS = vocabulary(
    "decision rfc pep adr issue ticket step section chapter figure table page line phase "
    "version release port room case member server build rule item option article "
    "paragraph no number id code error http node part appendix layer stage sprint "
    "question note exercise example lesson unit episode season volume windows python java "
    "ubuntu debian class category type tier level round group team day week league "
    "division grade revision draft schema protocol ipv sha sha- utf utf- utf8 iso tls ssl "
    "ssh http/ postgres postgresql mysql kubernetes status pull pr bug"
)
_NO_NOUN = vocabulary(
    "is are was were be been and or of in on at by for from with to per a an the that "
    "this as than if when then which who will can may must should has have had not but "
    "times more less each every it its we they he she you i there also our their his her "
    "your my"
)
_VERSION_PREPOSITIONS = frozenset(["before", "since", "until", "after", "from", "in", "with", "as"])
_PER = re.compile(
    r"\s*(?:/|\bper\b|\ban?\b(?=\s)|\beach\b|\bevery\b)\s*(?P<n>\d[\d,.]*)?\s*(?P<u>[a-zµ]+)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Units:
    sizes: Mapping[str, tuple[str, float]]  # unit word -> (dimension, size in the base unit)
    currencies: Mapping[str, str]
    scales: Mapping[str, float]
    numbers: Mapping[str, float]
    before: tuple[tuple[str, str], ...]
    after: tuple[tuple[str, str], ...]
    pattern: re.Pattern[str]


@lru_cache(maxsize=1)
def _units() -> _Units:
    data: dict[str, Any] = load_toml("units.toml")
    dimensions = ("duration", "bytes", "length", "mass", "frequency")
    sizes = {w: (name, float(size)) for name in dimensions for w, size in data[name].items()}
    numbers = {word: float(value) for word, value in data["numbers"].items()}
    words = "|".join(sorted(numbers, key=len, reverse=True))
    compound = rf"(?:{words}|a dozen|a couple|a hundred|a thousand|a million)(?:[\s-](?:{words}|hundred|thousand|dozen))*"
    pattern = re.compile(
        rf"(?:(?<![\w.#/-])|(?<=\d[-–—]))(?:(?P<digits>{_DIGITS})|(?P<words>\b{compound}\b))", re.I
    )
    return _Units(
        sizes,
        data["currency"],
        {word: float(value) for word, value in data["scale"].items()},
        numbers,
        _phrases(data["comparators"]),
        _phrases(data["after"]),
        pattern,
    )


def _phrases(groups: Mapping[str, list[str]]) -> tuple[tuple[str, str], ...]:
    pairs = [(phrase, sign) for sign, phrases in groups.items() for phrase in phrases]
    return tuple(sorted(pairs, key=lambda pair: (-len(pair[0]), pair)))


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """All numbers of a text in order, none overlapping another."""
    if not any(c.isdigit() for c in text) and not _units().pattern.search(text):
        return ()
    found: list[Quantity] = []
    taken = [False] * (len(text) + 1)
    for quantity in (*_marked(text), *_amounts(text)):
        if not any(taken[quantity.start : quantity.end]):
            taken[quantity.start : quantity.end] = [True] * (quantity.end - quantity.start)
            found.append(quantity)
    return tuple(_joined_ranges(text, sorted(found, key=lambda q: q.start)))


def _marked(text: str) -> Iterator[Quantity]:
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
                    _bound_before(text, match.start(), "="),
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
    value = _version_value(match.group())
    sign = "="
    if kind == "version":
        sign = _bound_after(text, match.end(), _bound_before(text, match.start(), "="))[0]
    return Quantity(value, unit, kind, *match.span(), sign, None, match.group())


def _version_value(written: str) -> float:
    """A number that orders versions part by part: 3.9 before 3.11."""
    parts = [int(part[:12]) for part in re.findall(r"\d+", written)[:5]]
    return sum(part / 1000**place for place, part in enumerate(parts))


def _date(match: re.Match[str]) -> float:
    parts = match.groupdict()
    month = _MONTHS[parts["mon"].lower()] if parts.get("mon") else int(parts["m"])
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


def _amounts(text: str) -> Iterator[Quantity]:
    for match in _units().pattern.finditer(text):
        value = _value(match)
        if value is not None:
            yield _measured(text, match, value)


def _value(match: re.Match[str]) -> float | None:
    if match["digits"]:
        return float(re.sub(r"[,  ’']", "", match["digits"]))
    total, current = 0.0, 0.0
    for word in re.split(r"[\s-]+", match["words"].lower()):
        if word == "a":
            current = 1.0
        elif word == "couple":
            current = 2.0
        elif word in _units().numbers:
            current += _units().numbers[word]
        else:
            current = (current or 1.0) * _units().scales[word]
            if word == "thousand":
                total, current = total + current, 0.0
    return total + current


def _measured(text: str, match: re.Match[str], value: float) -> Quantity:
    units = _units()
    start, end = match.start(), match.end()
    value, end = _scaled(text, value, end, bool(match["digits"]))
    currency, start = _currency_before(text, start)
    sign, end_sign = _bound_after(text, end, _bound_before(text, start, "="))
    if text[end : end + 1] == "%" or re.match(r"\s?(?:percent|per cent)\b", text[end:], re.I):
        end = end + 1 if text[end] == "%" else end + re.match(r"\s?\w+(?: cent)?", text[end:]).end()  # type: ignore[union-attr]
        return Quantity(
            value, "percent", "percent", start, end, _late(text, end, sign), None, text[start:end]
        )
    if currency:
        return _with_rate(text, Quantity(value, currency, "money", start, end, sign))
    spelled = match["words"] is not None
    found = re.match(r"\s?[-\s]?(?P<u>[A-Za-zµ$€£]+)", text[end:])
    if match["words"] and (half := re.match(r"\s(?:an?|of an?)\s(?P<u>[a-z]+)", text[end:])):
        found = half
    if found:
        word = found["u"]
        unit = _unit_of(word, glued=not found.group()[0].isspace())
        if unit and not (spelled and len(word) < 3):
            dimension, size = unit
            stop = end + found.end()
            sign = _late(text, stop, sign)
            if dimension == "money":
                return _with_rate(
                    text,
                    Quantity(
                        value,
                        units.currencies[word.lower()]
                        if word.lower() in units.currencies
                        else units.currencies[fold_word(word)],
                        "money",
                        start,
                        stop,
                        sign,
                    ),
                )
            return _with_rate(
                text,
                Quantity(
                    value * size,
                    dimension,
                    dimension if dimension in ("duration", "bytes") else "amount",
                    start,
                    stop,
                    sign,
                ),
            )
    return _counted(text, match, Quantity(value, "", "amount", start, end, sign), end_sign, spelled)


def _scaled(text: str, value: float, end: int, digits: bool) -> tuple[float, int]:
    found = re.match(
        r"(?:(?P<glued>[kKM]|bn)(?![A-Za-z])|\s(?P<word>thousand|million|billion|trillion|dozen|hundred)\b|(?P<mio>\s?(?:mio|mn|bn))\b)",
        text[end:],
    )
    if not found:
        return value, end
    name = (found["glued"] or found["word"] or (found["mio"] or "").strip()).lower()
    if not digits and found["glued"]:
        return value, end
    return value * _units().scales[name], end + found.end()


def _currency_before(text: str, start: int) -> tuple[str, int]:
    found = re.search(
        r"(?:(?:US|CA|AU)?(?P<sign>[$€£¥])|\b(?P<code>USD|EUR|GBP|CHF|JPY))\s?$", text[:start]
    )
    if not found:
        return "", start
    return _units().currencies[found["sign"] or found["code"].lower()], found.start()


def _unit_of(word: str, *, glued: bool) -> tuple[str, float] | None:
    """The dimension and size of a unit word; `m` and the like only where they touch the number."""
    units = _units()
    lower = word.lower()
    if lower in units.currencies or fold_word(word) in units.currencies:
        return ("money", 1.0)
    if len(word) == 1 and not glued:
        return units.sizes.get(word) if word in ("s", "h", "d", "m", "g") and word != "m" else None
    if lower == "m" or (lower == "min" and not glued and word != "min"):
        return ("duration", 60.0) if glued and word == "m" else None
    return (
        units.sizes.get(lower)
        or units.sizes.get(lower.rstrip("s") if len(lower) > 2 else lower)
        or units.sizes.get(fold_word(word))
    )


def _with_rate(text: str, quantity: Quantity) -> Quantity:
    """Add "per month", "/s", "per 60 seconds" to the unit."""
    found = _PER.match(text, quantity.end)
    if found and (unit := _unit_of(found["u"], glued=True)) and unit[0] == "duration":
        count = float(found["n"].replace(",", "").rstrip(".")) if found["n"] else 1.0
        window = f"{count * unit[1]:.0f}"
        quantity = replace(quantity, unit=f"{quantity.unit}/{window}", end=found.end())
    elif found and found["n"]:
        count = float(found["n"].replace(",", "").rstrip(".") or 1)
        quantity = replace(quantity, value=quantity.value / (count or 1), end=found.end("n"))
    return replace(quantity, text=text[quantity.start : quantity.end])


def _counted(
    text: str, match: re.Match[str], quantity: Quantity, sign: str, spelled: bool
) -> Quantity:
    """A number with no unit of measure: of something counted, a year, a version, or a label."""
    before = re.search(r"([\w-]+)\s+$", text[: quantity.start])
    previous = before.group(1) if before else ""
    noun = _noun_after(text, quantity.end)
    rated = _PER.match(text, quantity.end)
    quantity = replace(
        quantity,
        comparator=_bound_after(text, quantity.end, quantity.comparator)[0],
        text=text[quantity.start : quantity.end],
    )
    if (
        rated
        and not noun
        and (unit := _unit_of(rated["u"], glued=True))
        and unit[0] == "duration"
        and text[quantity.end : rated.end()].lstrip()[:2] != "an"[:0]
    ):
        return _with_rate(text, replace(quantity, kind="rate"))
    as_version = _version_value(match.group())
    if not spelled and previous.lower() in _LABELS and previous.lower() != "minimum":
        kind = {"port": "port", "version": "version", "release": "version"}.get(
            previous.lower(), "id"
        )
        if (
            previous[0].isupper()
            and kind == "id"
            and previous.lower()
            not in (
                "decision",
                "step",
                "rfc",
                "pep",
                "adr",
                "issue",
                "section",
                "page",
                "table",
                "figure",
            )
        ):
            kind = "version"
        value = as_version if kind == "version" else quantity.value
        return replace(quantity, value=value, kind=kind, unit=fold_word(previous))
    if not spelled and noun == "" and re.fullmatch(r"(?:1[5-9]|20)\d\d", match.group()):
        return replace(quantity, kind="year")
    if (
        not spelled
        and previous[:1].isupper()
        and noun == ""
        and not _sentence_start(text, before)
        and previous.isalpha()
        and previous.lower() not in _MONTHS
    ):
        return replace(quantity, value=as_version, kind="version", unit=fold_word(previous))
    if not noun and "." in match.group() and previous.lower() in _VERSION_PREPOSITIONS:
        return replace(quantity, value=as_version, kind="version")  # "since 2.0"
    if noun[:1].isupper() and not noun.isupper() and not spelled and previous.lower() == "the":
        return replace(quantity, kind="id", unit=fold_word(noun))  # "the 568 Group"
    if noun and "." in match.group() and previous.lower() in ("the", "a", "an", "our"):
        return replace(quantity, value=as_version, kind="version")  # "the 6.0 client"
    if noun:
        quantity = replace(quantity, unit=fold_word(noun))
        after = re.compile(rf"\s+(?:[\w-]+\s+){{0,2}}?{re.escape(noun)}", re.I).match(
            text, quantity.end
        )
        if after:
            probe = _PER.match(text, after.end())
            if probe and (unit := _unit_of(probe["u"], glued=True)) and unit[0] == "duration":
                count = float(probe["n"].replace(",", "").rstrip(".")) if probe["n"] else 1.0
                return replace(
                    quantity,
                    kind="rate",
                    unit=f"{quantity.unit}/{count * unit[1]:.0f}",
                    end=probe.end(),
                    text=text[quantity.start : probe.end()],
                )
            quantity = replace(
                quantity, comparator=_bound_after(text, after.end(), quantity.comparator)[0]
            )
    return quantity


def _sentence_start(text: str, before: re.Match[str] | None) -> bool:
    return before is None or before.start() == 0 or text[: before.start()].rstrip()[-1:] in ".!?:"


def _noun_after(text: str, end: int) -> str:
    """The word that is counted: the next one, or the one after an adjective-like word."""
    found = re.match(r"[\s-]+(?P<word>[A-Za-z][\w-]*)", text[end:])
    if not found or found["word"].lower() in _NO_NOUN:
        return ""
    return found["word"]


def _bound_before(text: str, start: int, default: str) -> str:
    left = text[max(0, start - 28) : start].lower().rstrip(" $€£(")
    for phrase, sign in _units().before:
        if left.endswith(phrase) and not (
            phrase[0].isalpha() and left[: -len(phrase)][-1:].isalpha()
        ):
            return sign
    return default


def _bound_after(text: str, end: int, default: str) -> tuple[str, str]:
    right = text[end : end + 24].lower().lstrip(" ),")
    for phrase, sign in _units().after:
        if right.startswith(phrase) and not right[len(phrase) : len(phrase) + 1].isalpha():
            return sign, sign
    return default, default


def _late(text: str, end: int, sign: str) -> str:
    return _bound_after(text, end, sign)[0]


def _joined_ranges(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Make "10 to 20 MB" and "between 1 and 2 hours" one quantity each."""
    joined: list[Quantity] = []
    for quantity in quantities:
        last = joined[-1] if joined else None
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
        if last and _lists(text, last, quantity):
            size = _unit_size(text, quantity)
            joined[-1] = replace(
                last, value=last.value * size, unit=quantity.unit, kind=quantity.kind
            )
        joined.append(quantity)
    return joined


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
    unit = _unit_of(found.group(1), glued=True) if found else None
    return unit[1] if unit and unit[0] != "money" else 1.0
