"""Which numbers of a text a clause states, and which words belong to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hebbs_index.layers.claim_parts.clauses import Clause
from hebbs_index.layers.claim_parts.reading import Reading
from hebbs_index.layers.lexicon import lexicon
from hebbs_index.layers.quantities import find_quantities
from hebbs_index.records import Quantity


def quantities_of(text: str, reading: Reading, clause: Clause) -> list[Quantity]:
    """The numbers that stand in the clause's own words."""
    if not clause.words:
        return []
    places = [(reading.words[i].start, reading.words[i].end) for i in clause.words]
    found = [
        q
        for q in find_quantities(text)
        if any(start < q.end and q.start < end for start, end in places)
    ]
    return [_with_head_noun(reading, clause, q) for q in found]


def _with_head_noun(reading: Reading, clause: Clause, quantity: Quantity) -> Quantity:
    """What is counted is the noun that the number governs in the parse ("two newest releases")."""
    if (
        not reading.parsed
        or quantity.kind not in ("amount", "rate")
        or quantity.unit in ("", "length", "mass", "frequency")
        or "/" in quantity.text  # "ops/s" is one token or three, and no noun of the parse
    ):
        return quantity
    for i in clause.words:
        word = reading.words[i]
        if word.start >= quantity.start and word.end <= quantity.end + 1 and word.dep == "nummod":
            head = reading.words[word.head]
            if head.pos in ("NOUN", "PROPN") and head.start > word.start and "/" not in head.fold:
                known = lexicon().concepts.get(head.fold, head.fold)
                window = quantity.unit.partition("/")[2]
                return replace(quantity, unit=f"{known}/{window}" if window else known)
    base, _slash, window = quantity.unit.partition("/")
    known = lexicon().concepts.get(base, base)
    return replace(quantity, unit=f"{known}/{window}" if window else known)


def number_words(reading: Reading, clause: Clause, quantities: Iterable[Quantity]) -> set[int]:
    """Words that belong to a number: digits, units and number words, but not what is counted."""
    found: set[int] = set()
    for quantity in quantities:
        counted = quantity.unit.partition("/")[0]
        for i in clause.words:
            word = reading.words[i]
            if word.start < quantity.end and quantity.start < word.end:
                known = lexicon().concepts.get(word.fold, word.fold)
                if not (counted and known == counted and word.pos in ("NOUN", "PROPN")):
                    found.add(i)
    return found
