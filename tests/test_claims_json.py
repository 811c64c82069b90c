"""Claims survive the way through JSON, whatever is in them."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from hebbs_index.claims_json import claim_from_json, claim_to_json, claims_from_text, claims_to_text
from hebbs_index.records import Claim, Quantity, Term

words = st.text(max_size=8)
places = st.integers(-1, 500)
terms = st.builds(Term, st.lists(words, max_size=3).map(tuple), words, places, places)
numbers = st.floats(allow_nan=False, allow_infinity=False)
quantities = st.builds(
    Quantity, numbers, words, words, places, places, words, st.none() | numbers, words
)
claims = st.builds(
    Claim,
    subject=terms,
    attribute=terms,
    value=terms,
    predicate=words,
    polarity=st.booleans(),
    negation=st.lists(terms, max_size=2).map(tuple),
    modality=words,
    quantifier=words,
    quantities=st.lists(quantities, max_size=2).map(tuple),
    time=words,
    scope=st.lists(st.tuples(words, words), max_size=2).map(tuple),
    attribution=words,
    asserted=st.booleans(),
    single_valued=st.booleans(),
    content=st.lists(terms, max_size=3).map(tuple),
    names=st.lists(words, max_size=2).map(tuple),
    slots=st.lists(words, max_size=2).map(tuple),
    kinds=words,
)


@given(claims)
def test_a_claim_comes_back_as_it_was(claim):
    assert claim_from_json(json.loads(json.dumps(claim_to_json(claim)))) == claim


@given(st.lists(claims, max_size=3).map(tuple))
def test_claims_of_a_statement_come_back_and_equal_claims_give_equal_text(several):
    text = claims_to_text(several)
    assert claims_from_text(text) == several
    assert claims_to_text(claims_from_text(text)) == text


def test_defaults_are_not_written():
    bare = Claim(Term((), ""), Term((), ""), Term((), ""))
    assert set(claim_to_json(bare)) == {"subject", "attribute", "value"}
