"""Claims as compact JSON and back: what the store keeps and what other programs are shown.

Defaults are left out, and the parts of a claim are lists in a fixed order, so that many
thousands load quickly. Equal claims give equal text. A field added later with a default is
missing from older text and read as its default.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hebbs_index.records import Claim, Quantity, Term

_PLAIN = (
    ("predicate", ""),
    ("polarity", True),
    ("modality", ""),
    ("quantifier", ""),
    ("time", ""),
    ("attribution", ""),
    ("asserted", True),
    ("single_valued", False),
    ("kinds", ""),
)


def claim_to_json(claim: Claim) -> dict[str, Any]:
    """A claim as a JSON object without its defaults."""
    made: dict[str, Any] = {
        "subject": _term_out(claim.subject),
        "attribute": _term_out(claim.attribute),
        "value": _term_out(claim.value),
    }
    for name, default in _PLAIN:
        if (value := getattr(claim, name)) != default:
            made[name] = value
    lists = {
        "negation": [_term_out(term) for term in claim.negation],
        "quantities": [_quantity_out(quantity) for quantity in claim.quantities],
        "scope": [list(pair) for pair in claim.scope],
        "content": [_term_out(term) for term in claim.content],
        "names": list(claim.names),
        "slots": list(claim.slots),
    }
    made.update((name, items) for name, items in lists.items() if items)
    return made


def claim_from_json(made: Mapping[str, Any]) -> Claim:
    """The claim that `claim_to_json` wrote. Raises KeyError, TypeError or ValueError if damaged."""
    plain = {name: made.get(name, default) for name, default in _PLAIN}
    return Claim(
        subject=_term_in(made["subject"]),
        attribute=_term_in(made["attribute"]),
        value=_term_in(made["value"]),
        negation=tuple([_term_in(term) for term in made.get("negation", ())]),
        quantities=tuple([_quantity_in(item) for item in made.get("quantities", ())]),
        scope=tuple([(kind, what) for kind, what in made.get("scope", ())]),
        content=tuple([_term_in(term) for term in made.get("content", ())]),
        names=tuple(made.get("names", ())),
        slots=tuple(made.get("slots", ())),
        **plain,
    )


def claims_to_text(claims: Sequence[Claim]) -> str:
    """All claims of a statement as one JSON text; equal claims give equal text."""
    made = [claim_to_json(claim) for claim in claims]
    return json.dumps(made, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def claims_from_text(text: str) -> tuple[Claim, ...]:
    """The claims that `claims_to_text` wrote; KeyError, TypeError or ValueError if damaged."""
    return tuple(claim_from_json(made) for made in json.loads(text))


def _term_out(term: Term) -> list[Any]:
    return [list(term.words), term.text, term.start, term.end]


def _term_in(made: Sequence[Any]) -> Term:
    words, text, start, end = made
    return Term(tuple(words), text, start, end)


def _quantity_out(q: Quantity) -> list[Any]:
    return [q.value, q.unit, q.kind, q.start, q.end, q.comparator, q.high, q.text]


def _quantity_in(made: Sequence[Any]) -> Quantity:
    return Quantity(*made)
