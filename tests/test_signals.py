"""Signals: each fires on its words, and only there."""

from __future__ import annotations

import pytest

from hebbs_index.contradictions.lexicon import builtin_pairs, opposites
from hebbs_index.contradictions.overlap import compare
from hebbs_index.contradictions.profile import profile_of
from hebbs_index.contradictions.signals import WEIGHTS, signals_of
from hebbs_index.layers.claims import claims_of_text
from hebbs_index.words import fold_base

pytestmark = pytest.mark.model


def fired(nlp, first: str, second: str) -> set[str]:
    a = profile_of(claims_of_text(first, nlp)[0])
    b = profile_of(claims_of_text(second, nlp)[0])
    return {signal.name for signal in signals_of(a, b, compare(a, b))}


def test_there_are_25_pairs_built_in_and_all_are_known():
    assert len(builtin_pairs()) == 25
    for first, second in builtin_pairs():
        assert fold_base(second) in opposites().antonyms[fold_base(first)]
        assert fold_base(first) in opposites().antonyms[fold_base(second)]


@pytest.mark.parametrize(
    ("first", "second", "signal"),
    [
        ("The cap is 3 MB.", "The cap is 9 MB.", "numeric"),
        ("The deadline is 3 May 2024.", "The deadline is 9 June 2024.", "date"),
        ("The job is delivered.", "The job is not delivered.", "negation"),
        ("The job is reliable.", "The job is unreliable.", "antonym"),
        ("Acme's CEO is Alice.", "Acme's CEO is Bob.", "value"),
        ("The ticket is accepted.", "The ticket is rejected.", "status"),
        ("The field is required.", "The field is optional.", "modality"),
    ],
)
def test_a_signal_fires_on_its_kind(nlp, first, second, signal):
    assert signal in fired(nlp, first, second)
    assert signal in WEIGHTS


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The job is not unreliable.", "The job is reliable."),
        ("The job is not reliable.", "The job is unreliable."),
        ("The job is not delivered.", "The job isn't delivered."),
        ("The team does not have 100 members.", "The team has 40 members."),
        ("We can work without a token.", "We can work with a token."),
        ("The knowledge is noted now.", "The knowledge is noted."),
        ("The lowlight is highlighted.", "The highlight is lowlighted."),
        ("The CEO is not Alice.", "The CEO is Bob."),
        ("We used to support Solaris.", "We no longer support Solaris."),
        ("The tool is under MIT or Apache-2.0.", "The tool is licensed under MIT."),
        ("The meeting was held in 2006.", "The meeting was held in 2014."),
        ("Amends 10.", "Amends 17."),
    ],
)
def test_no_signal_fires_where_both_agree_or_neither_speaks(nlp, first, second):
    assert fired(nlp, first, second) == set()


def test_two_signals_may_fire_on_one_pair(nlp):
    first = "The stable gateway serves 30 users and the speed is high."
    second = "The job is reliable and takes 30 minutes."
    assert fired(nlp, first, first) == set()
    other = second.replace("reliable", "unreliable").replace("30", "90")
    claims = [(claims_of_text(second, nlp), claims_of_text(other, nlp))]
    names = {
        signal.name
        for a, b in claims
        for one in a
        for two in b
        for signal in signals_of(
            profile_of(one), profile_of(two), compare(profile_of(one), profile_of(two))
        )
    }
    assert names == {"antonym", "numeric"}
