"""Units, scales, currencies, rates and bounds around a number, from the units data file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from hebbs_index.layers.lexicon import load_toml
from hebbs_index.records import Quantity
from hebbs_index.words import fold_word

_PER = re.compile(
    r"\s*(?:/|\bper\b|\ban?\b(?=\s)|\beach\b|\bevery\b)\s*(?P<n>\d[\d,.]*)?\s*(?P<u>[a-zµ]+)\b",
    re.IGNORECASE,
)


_DIGITS = r"\d{1,3}(?:[,  ’']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"


_SCALE = re.compile(
    r"(?P<glued>[kKM]|bn)(?![A-Za-z])"
    r"|\s(?P<word>thousand|million|billion|trillion|dozen|hundred)\b"
    r"|(?P<short>\s?(?:mio|mn|bn))\b"
)
_CURRENCY = re.compile(r"(?:(?:US|CA|AU)?(?P<sign>[$€£¥])|\b(?P<code>USD|EUR|GBP|CHF|JPY))\s?\Z")


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
def units() -> _Units:
    """The units data file, read on first use."""
    data: dict[str, Any] = load_toml("units.toml")
    dimensions = ("duration", "bytes", "length", "mass", "frequency")
    sizes = {w: (name, float(size)) for name in dimensions for w, size in data[name].items()}
    numbers = {word: float(value) for word, value in data["numbers"].items()}
    words = "|".join(sorted(numbers, key=len, reverse=True))
    first = rf"(?:{words}|a dozen|a couple|a hundred|a thousand|a million)"
    compound = rf"{first}(?:[\s-](?:{words}|hundred|thousand|dozen))*"
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


def scaled(text: str, value: float, end: int, digits: bool) -> tuple[float, int]:
    """Apply "k", "million" and the like after a number; the value and where it now ends."""
    found = _SCALE.match(text, end)
    if not found or (not digits and found["glued"]):
        return value, end
    name = (found["glued"] or found["word"] or found["short"].strip()).lower()
    return value * units().scales[name], found.end()


def currency_before(text: str, start: int) -> tuple[str, int]:
    """The currency sign or code before a number, and where it begins."""
    found = _CURRENCY.search(text, max(0, start - 6), start)
    if not found or found.end() != start:
        return "", start
    return units().currencies[found["sign"] or found["code"].lower()], found.start()


def money_unit(word: str) -> str:
    """The code of a currency word ("dollars", "EUR")."""
    known = units().currencies
    return known.get(word.lower()) or known[fold_word(word)]


def unit_of(word: str, *, glued: bool) -> tuple[str, float] | None:
    """The dimension of a unit word and its size in the base unit.

    Single letters count only where they touch the number, and `m` then means minutes.
    """
    known = units()
    lower = word.lower()
    if lower in known.currencies or fold_word(word) in known.currencies:
        return ("money", 1.0)
    if lower == "m":
        return ("duration", 60.0) if glued and word == "m" else None
    if len(word) == 1 and not glued:
        return known.sizes.get(word) if word in ("s", "h", "d", "g") else None
    singular = lower.rstrip("s") if len(lower) > 2 else lower
    return known.sizes.get(lower) or known.sizes.get(singular) or known.sizes.get(fold_word(word))


def rate_after(text: str, end: int) -> tuple[str, int] | None:
    """The window of "per month", "/s", "per 60 seconds" in seconds, and where it ends."""
    found = _PER.match(text, end)
    unit = unit_of(found["u"], glued=True) if found else None
    if not found or unit is None or unit[0] != "duration":
        return None
    return f"{_number(found['n']) * unit[1]:.0f}", found.end()


def with_rate(text: str, quantity: Quantity) -> Quantity:
    """Add the window of a rate to the unit; "per 10,000" divides the value."""
    rate = rate_after(text, quantity.end)
    found = _PER.match(text, quantity.end)
    if rate:
        quantity = replace(quantity, unit=f"{quantity.unit}/{rate[0]}", end=rate[1])
    elif found and found["n"]:
        value = quantity.value / (_number(found["n"]) or 1.0)
        quantity = replace(quantity, value=value, end=found.end("n"))
    return replace(quantity, text=text[quantity.start : quantity.end])


def _number(written: str | None) -> float:
    digits = re.match(r"\d{1,15}(?:\.\d+)?", (written or "1").replace(",", ""))
    return float(digits.group()) if digits else 1.0


def bound_before(text: str, start: int, default: str) -> str:
    """The comparison that the words before a number make, else the default."""
    left = text[max(0, start - 28) : start].lower().rstrip(" $€£(")
    for phrase, sign in units().before:
        whole = not (phrase[0].isalpha() and left[: -len(phrase)][-1:].isalpha())
        if left.endswith(phrase) and whole:
            return sign
    return default


def bound_after(text: str, end: int, default: str) -> str:
    """The comparison that the words after a number make ("or later"), else the default."""
    right = text[end : end + 24].lower().lstrip(" ),")
    for phrase, sign in units().after:
        if right.startswith(phrase) and not right[len(phrase) : len(phrase) + 1].isalpha():
            return sign
    return default
