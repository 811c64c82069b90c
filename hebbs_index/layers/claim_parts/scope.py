"""Under which conditions a clause holds: environment, version, tier, period, if and unless."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hebbs_index.layers.claim_parts.clauses import Clause
from hebbs_index.layers.claim_parts.reading import Reading, Word
from hebbs_index.layers.lexicon import lexicon
from hebbs_index.layers.vocabulary import vocabulary
from hebbs_index.records import Quantity

Scope = tuple[str, str]

_VALUE_VERBS = frozenset(
    ("need", "requir", "support", "run", "us", "use", "accept", "upgrad", "require")
)
_PERIOD_PREPOSITIONS = vocabulary("in until on since before after by from during of for through")
_SCOPE_PREPOSITIONS = vocabulary(
    "in on for since before after from until till with under as by during through of"
)


def scope_words(reading: Reading, indexes: Sequence[int]) -> dict[int, Scope]:
    """Words that name an environment, platform, region, period or tier."""
    known = lexicon()
    found: dict[int, Scope] = {}
    for index in indexes:
        word = reading.words[index]
        kind = known.scope_words.get(word.fold)
        if kind == "region" and not word.text[:1].isupper():
            kind = None
        if kind == "period" and word.fold == "may":
            kind = None
        if kind == "environment" and not _names_environment(reading, word):
            kind = None
        if kind is None and word.fold in known.tier_words and _beside_tier(reading, word):
            kind = "tier"
        if kind:
            found[index] = (kind, _SAME.get(word.fold, word.fold))
    return found


_ONE_OF_TWO = frozenset(("other", "another", "latter", "former", "others"))
_SAME = {"prod": "production", "dev": "development", "mac": "macos", "testing": "test", "usa": "us"}
_ENVIRONMENT_NOUNS = vocabulary(
    "environment network profile cluster database server account region tenant stack "
    "config configuration system setup deployment instance host db bucket site branch"
)


def _names_environment(reading: Reading, word: Word) -> bool:
    """Whether a common word such as "test" stands alone or before an environment noun."""
    if word.fold in (
        "staging",
        "prod",
        "dev",
        "qa",
        "sandbox",
        "uat",
        "preprod",
        "canary",
        "production",
    ):
        return True
    after = reading.words[word.index + 1] if word.index + 1 < len(reading.words) else None
    before = reading.words[word.index - 1] if word.index else None
    if after is not None and after.fold in _ENVIRONMENT_NOUNS:
        return True
    ends = after is None or after.pos in ("PUNCT", "AUX", "VERB")
    return ends and (before is None or before.lower in ("in", "on", "for", "to", "from"))


def _beside_tier(reading: Reading, word: Word) -> bool:
    nouns = lexicon().tier_nouns
    near = reading.words[word.index + 1 : word.index + 3]
    if (near and near[0].fold in nouns) or (
        len(near) > 1 and near[1].fold in nouns and near[0].lower != "and"
    ):
        return True
    before = reading.words[word.index - 1] if word.index else None
    return before is not None and before.lower in ("on", "in", "the") and word.text[:1].isupper()


def comparison_of(reading: Reading, clause: Clause) -> list[Scope]:
    """ "The other", "the former": one of two, so another subject than a plain one."""
    words = [reading.words[i].lower for i in clause.subject[:4]]
    return [("which", word) for word in words if word in _ONE_OF_TWO]


def conditions_of(reading: Reading, clause: Clause) -> list[Scope]:
    """The conditions of a clause; one about being set at all is the default and limits nothing."""
    known = lexicon()
    found: list[Scope] = []
    if _is_alternative(reading, clause):
        found.append(("otherwise", "else"))
    for kind, indexes in clause.conditions:
        words = [reading.words[i] for i in indexes]
        content = sorted({w.fold for w in words if w.is_content and w.lower != kind})
        if any(w.fold in known.condition_settings for w in words):
            found.append(("default", ""))
        elif content:
            found.append((kind, " ".join(content)))
    return found


_CASE = re.compile(
    r"\b(?:in (?:this|that|such|these|those|some|most|other|certain|rare|both) (?:\w+ )?cases?"
    r"|for (?:this|these|that|those|some|certain) \w+)\b"
)


def _is_alternative(reading: Reading, clause: Clause) -> bool:
    """ "..., else X", "in this case X": what holds only where something said before does."""
    first = min(clause.words, default=0)
    opening = [reading.words[i].lower for i in range(max(0, first - 1), clause.root)]
    text = " ".join(reading.words[i].lower for i in sorted(clause.words))
    return "else" in opening or "otherwise" in opening or bool(_CASE.search(text))


def split_quantities(
    reading: Reading, clause: Clause, quantities: Sequence[Quantity]
) -> tuple[list[Quantity], list[Scope], list[Quantity]]:
    """Tell the values of a clause from its versions and periods, and from mere labels."""
    values: list[Quantity] = []
    scopes: list[Scope] = []
    labels: list[Quantity] = []
    measured = sum(
        q.kind in ("amount", "money", "percent", "duration", "bytes", "rate") for q in quantities
    )
    for quantity in quantities:
        if (
            quantity.kind in ("id", "ordinal", "port") and quantity.unit != "address"
        ) or _numbers_a_name(reading, quantity):
            labels.append(quantity)
        elif quantity.kind == "version" and not _is_value(reading, clause, quantity):
            bound = _bound_word(reading, quantity)
            product = "" if quantity.unit in ("version", "releas") else quantity.unit
            scopes.append(
                (
                    "version",
                    " ".join(f"{bound}{product} {quantity.value:g}".split()),
                )
            )
        elif _is_aside(reading, quantity):
            continue
        elif quantity.kind in ("year", "date") and (measured or _leads(reading, quantity)):
            if not (_is_dated(reading, quantity) or _labels(reading, quantity)):
                continue
            scopes.append(("period", f"{_bound_word(reading, quantity)}{quantity.value:.0f}"))
        else:
            values.append(quantity)
    return values, scopes, labels


def _numbers_a_name(reading: Reading, quantity: Quantity) -> bool:
    """Whether a bare number belongs to the name before it ("the Employment Data 2 tab")."""
    digits = quantity.text.split(" ")[0]
    if quantity.kind != "amount" or not digits.isdigit() or quantity.comparator != "=":
        return False
    before = _word_before(reading, quantity.start)
    after = next((w for w in reading.words if w.start > quantity.start), None)
    named = before is not None and before.is_name and before.text[:1].isupper() and before.index > 0
    return named and after is not None and after.tag == "NN"


def _is_value(reading: Reading, clause: Clause, quantity: Quantity) -> bool:
    if quantity.comparator != "=":
        return True
    if any(
        quantity.start >= reading.words[i].start and quantity.end <= reading.words[i].end
        for i in clause.subject
    ):
        return False
    root = reading.words[clause.root]
    before = _word_before(reading, quantity.start)
    if before is not None and before.lower in _SCOPE_PREPOSITIONS and root.fold not in _VALUE_VERBS:
        return False
    if root.fold in _VALUE_VERBS:
        return quantity.start > root.start
    return root.fold == "be" and quantity.start > root.start


def _leads(reading: Reading, quantity: Quantity) -> bool:
    """Whether a date opens the sentence ("In 2023, ...", "Until May, ...", "1 May 2023: ...")."""
    if _labels(reading, quantity):
        return True
    before = reading.text[: quantity.start].strip().lower()
    return before in _PERIOD_PREPOSITIONS or before in ("as of", "as from")


def _labels(reading: Reading, quantity: Quantity) -> bool:
    """Whether a date stands before a colon: what follows happened then."""
    return reading.text[quantity.end : quantity.end + 2].lstrip().startswith(":")


def _is_aside(reading: Reading, quantity: Quantity) -> bool:
    """Whether a year or date stands in parentheses: "(born 1970)" limits nothing."""
    if quantity.kind not in ("year", "date"):
        return False
    before = reading.text[: quantity.start]
    return before.count("(") > before.count(")")


def _is_dated(reading: Reading, quantity: Quantity) -> bool:
    """Whether a preposition makes the date a period ("in 2023"), not "a 2014 film"."""
    word = _word_before(reading, quantity.start)
    return word is not None and word.lower in _PERIOD_PREPOSITIONS


def _bound_word(reading: Reading, quantity: Quantity) -> str:
    found = re.search(
        r"\b(before|since|until|after|from|till)\s+(?:version\s+)?$",
        reading.text[: quantity.start].lower(),
    )
    return f"{found.group(1)} " if found else ""


def _word_before(reading: Reading, start: int) -> Word | None:
    return next((w for w in reversed(reading.words) if w.end <= start), None)
