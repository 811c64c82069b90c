"""Numbers with a unit, of things counted, or beside a label: what an amount measures.

A number with no unit of measure may count something ("3 nodes"), be a year or a version, or
only name a thing ("step 3", "port 8080"). The words around it decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hebbs_index.layers.quantity_forms import MONTHS, version_value
from hebbs_index.layers.quantity_units import (
    bound_after,
    bound_before,
    currency_before,
    money_unit,
    rate_after,
    scaled,
    unit_of,
    units,
    with_rate,
)
from hebbs_index.layers.vocabulary import vocabulary
from hebbs_index.records import Quantity
from hebbs_index.words import fold_word

MAX_DIGITS = 15
"""A longer run of digits is an id; a float could not hold it exactly."""

_LABELS = vocabulary(
    "decision rfc pep adr issue ticket step section chapter figure table page line phase "
    "version release port room case member server build rule item option article "
    "paragraph no number id code error http node part appendix layer stage sprint "
    "question note exercise example lesson unit episode season volume windows python java "
    "ubuntu debian class category type tier level round group team day week league "
    "division grade revision draft schema protocol ipv sha sha- utf utf- utf8 iso tls ssl "
    "ssh http/ postgres postgresql mysql kubernetes status pull pr bug incident tab building "
    "gate suite invoice order batch rack floor zone track policy request"
)
# Labels that name a thing even with a capital; others are products ("Python 3").
_ALWAYS_LABELS = vocabulary(
    "decision step rfc pep adr issue section page table figure incident invoice order batch rack"
)
_NO_NOUN = vocabulary(
    "is are was were be been and or of in on at by for from with to per a an the that "
    "this as than if when then which who will can may must should has have had not but "
    "times more less each every it its over under about some than we they he she you i "
    "there also our their his her your my"
)
_VERSION_PREPOSITIONS = vocabulary("before since until after from in with as")
_ARTICLES = vocabulary("the a an our")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


@dataclass(frozen=True, slots=True)
class _Place:
    """A number without a unit, and the words beside it."""

    quantity: Quantity
    written: str
    spelled: bool
    previous: str
    after_stop: bool  # the previous word opens a sentence, so its capital says nothing
    noun: str


def amounts(text: str) -> Iterator[Quantity]:
    """Every number written in digits or words."""
    for match in units().pattern.finditer(text):
        if match["digits"] and sum(c.isdigit() for c in match["digits"]) > MAX_DIGITS:
            yield Quantity(0.0, "", "id", *match.span(), "=", None, match.group())
        else:
            yield _measured(text, match, _value(match))


def _value(match: re.Match[str]) -> float:
    if match["digits"]:
        return float(re.sub(r"[,  ’']", "", match["digits"]))
    total, current = 0.0, 0.0
    for word in re.split(r"[\s-]+", match["words"].lower()):
        if word in _LEADING:
            current = _LEADING[word]
        elif word in units().numbers:
            current += units().numbers[word]
        else:
            current = (current or 1.0) * units().scales[word]
            if word == "thousand":
                total, current = total + current, 0.0
    return total + current


_LEADING = {"a": 1.0, "couple": 2.0}


def _measured(text: str, match: re.Match[str], value: float) -> Quantity:
    """A number with what follows it: percent, money, a unit of measure, or something counted."""
    value, end = scaled(text, value, match.end(), bool(match["digits"]))
    currency, start = currency_before(text, match.start())
    sign = bound_after(text, end, bound_before(text, start, "="))
    percent = re.compile(r"\s?(?:%|(?:percent|per cent)\b)").match(text, end)
    if percent:
        stop = percent.end()
        sign = bound_after(text, stop, sign)
        return Quantity(value, "percent", "percent", start, stop, sign, None, text[start:stop])
    if currency:
        return with_rate(text, Quantity(value, currency, "money", start, end, sign))
    measured = _with_unit(text, Quantity(value, "", "amount", start, end, sign), match)
    return measured or _counted(text, match, Quantity(value, "", "amount", start, end, sign))


def _with_unit(text: str, quantity: Quantity, match: re.Match[str]) -> Quantity | None:
    spelled = match["words"] is not None
    found = re.compile(r"\s?[-\s]?(?P<u>[A-Za-zµ$€£]+)").match(text, quantity.end)
    if spelled:  # "half an hour"
        half = re.compile(r"\s(?:an?|of an?)\s(?P<u>[a-z]+)").match(text, quantity.end)
        found = half or found
    if not found or (spelled and len(found["u"]) < 3):
        return None
    unit = unit_of(found["u"], glued=not found.group()[0].isspace())
    if unit is None:
        return None
    dimension, size = unit
    sign = bound_after(text, found.end(), quantity.comparator)
    quantity = replace(quantity, end=found.end(), comparator=sign)
    if dimension == "money":
        return with_rate(text, replace(quantity, unit=money_unit(found["u"]), kind="money"))
    kind = dimension if dimension in ("duration", "bytes") else "amount"
    return with_rate(
        text, replace(quantity, value=quantity.value * size, unit=dimension, kind=kind)
    )


def _counted(text: str, match: re.Match[str], quantity: Quantity) -> Quantity:
    """A number with no unit of measure: a rate, a label, a year, a version, or a count."""
    before = re.search(r"([\w-]+)\s+$", text[max(0, quantity.start - 40) : quantity.start])
    start = quantity.start - len(before.group()) if before else 0
    place = _Place(
        quantity=replace(quantity, text=text[quantity.start : quantity.end]),
        written=match.group(),
        spelled=match["words"] is not None,
        previous=before.group(1) if before else "",
        after_stop=start == 0 or text[:start].rstrip()[-1:] in ".!?:",
        noun=_noun_after(text, quantity.end),
    )
    if not place.noun and rate_after(text, quantity.end):
        return with_rate(text, replace(place.quantity, kind="rate"))
    return _label(place) or _year_or_version(place) or _count(text, place)


def _label(place: _Place) -> Quantity | None:
    """ "Step 3", "port 8080", "Decision 24", "the 568 Group": the number names a thing."""
    if place.spelled:
        return None
    lower = place.previous.lower()
    if lower in _LABELS:
        kind = {"port": "port", "version": "version", "release": "version"}.get(lower, "id")
        if kind == "id" and place.previous[0].isupper() and lower not in _ALWAYS_LABELS:
            kind = "version"
        value = version_value(place.written) if kind == "version" else place.quantity.value
        return replace(place.quantity, value=value, kind=kind, unit=fold_word(place.previous))
    if place.noun[:1].isupper() and not place.noun.isupper() and lower == "the":
        return replace(place.quantity, kind="id", unit=fold_word(place.noun))
    return None


def _year_or_version(place: _Place) -> Quantity | None:
    """ "In 2023", "Node 18", "since 2.0", "the 6.0 client"."""
    if place.spelled:
        return None
    lower = place.previous.lower()
    if not place.noun and _YEAR.fullmatch(place.written):
        return replace(place.quantity, kind="year")
    version = replace(place.quantity, value=version_value(place.written), kind="version")
    named = place.previous[:1].isupper() and place.previous.isalpha() and lower not in MONTHS
    if named and not place.noun and not place.after_stop:
        return replace(version, unit=fold_word(place.previous))
    beside = lower in _VERSION_PREPOSITIONS if not place.noun else lower in _ARTICLES
    return version if "." in place.written and beside else None


def _count(text: str, place: _Place) -> Quantity:
    """ "3 nodes", "250 calls a minute"."""
    quantity = place.quantity
    if not place.noun:
        return replace(quantity, comparator=bound_after(text, quantity.end, quantity.comparator))
    quantity = replace(quantity, unit=fold_word(place.noun))
    stop = text.index(place.noun, quantity.end) + len(place.noun)
    rate = rate_after(text, stop)
    if rate:
        window, end = rate
        unit = f"{quantity.unit}/{window}"
        written = text[quantity.start : end]
        return replace(quantity, kind="rate", unit=unit, end=end, text=written)
    return replace(quantity, comparator=bound_after(text, stop, quantity.comparator))


def _noun_after(text: str, end: int) -> str:
    """The word that is counted, or nothing if the next word cannot be."""
    found = re.compile(r"[\s-]+(?P<word>[A-Za-z][\w-]*)").match(text, end)
    if not found or found["word"].lower() in _NO_NOUN:
        return ""
    return found["word"]
