"""Claims as the JSON text in which the store keeps them, and back.

Every field is written in the order of its dataclass, so equal claims give equal text; a
field added later with a default is simply missing from older rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from hebbs_index.records import Claim, Quantity, Term

_TERM = ("subject", "attribute", "value")
_TERMS = ("negation", "content")
_CLAIM_FIELDS = tuple(field.name for field in fields(Claim))
_CLAIM_DEFAULTS = {field.name: field.default for field in fields(Claim)}


def claims_to_text(claims: Sequence[Claim]) -> str:
    """Compact JSON of the claims; equal claims give equal text."""
    return json.dumps(
        [_claim_out(claim) for claim in claims], ensure_ascii=False, separators=(",", ":")
    )


def claims_from_text(text: str) -> tuple[Claim, ...]:
    """The claims written by `claims_to_text`. Raises ValueError or TypeError if damaged."""
    return tuple(_claim_in(value) for value in json.loads(text))


def _claim_out(claim: Claim) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for name in _CLAIM_FIELDS:
        value = getattr(claim, name)
        if value == _CLAIM_DEFAULTS[name]:
            continue
        if name in _TERM:
            value = _term_out(value)
        elif name in _TERMS:
            value = [_term_out(term) for term in value]
        elif name == "quantities":
            value = [_quantity_out(quantity) for quantity in value]
        written[name] = value
    return written


def _term_out(term: Term) -> list[Any]:
    return [list(term.words), term.text, term.start, term.end]


def _quantity_out(quantity: Quantity) -> dict[str, Any]:
    return {field.name: getattr(quantity, field.name) for field in fields(Quantity)}


def _claim_in(written: Mapping[str, Any]) -> Claim:
    values: dict[str, Any] = {}
    for name, value in written.items():
        if name in _TERM:
            values[name] = _term_in(value)
        elif name in _TERMS:
            values[name] = tuple(_term_in(term) for term in value)
        elif name == "quantities":
            values[name] = tuple(Quantity(**quantity) for quantity in value)
        elif name == "scope":
            values[name] = tuple((str(kind), str(what)) for kind, what in value)
        else:
            values[name] = tuple(value) if isinstance(value, list) else value
    return Claim(**values)


def _term_in(written: Sequence[Any]) -> Term:
    words, text, start, end = written
    return Term(tuple(words), text, start, end)
