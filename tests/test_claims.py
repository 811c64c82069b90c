"""Claims of statements: with the parser and without, for any text."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hebbs_index.layers.claims import claims_of_text
from hebbs_index.layers.nlp import load_language_model
from hebbs_index.records import Claim

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def plain():
    return load_language_model(enabled=False)


def one(language, text: str, **context) -> Claim:
    return claims_of_text(text, language, **context)[0]


def denied(claim: Claim) -> set[str]:
    return {t.text.lower() for t, k in zip(claim.content, claim.kinds, strict=True) if k.isupper()}


@pytest.mark.parametrize(
    "text",
    [
        "Alice is the CEO of Acme.",
        "Acme's CEO is Alice.",
        "The CEO of Acme is Alice.",
    ],
)
def test_a_role_and_its_holder_meet_in_one_slot_whatever_the_order(nlp, text):
    claim = one(nlp, text)
    assert claim.subject.words == ("acme",)
    assert claim.attribute.words == ("ceo",)
    assert claim.value.words == ("alice",)
    assert claim.single_valued
    assert "acme|ceo" in claim.slots


def test_a_declared_entity_owns_a_field(nlp):
    claim = one(nlp, "CEO: Bob", declared_entity="Acme")
    assert "acme|ceo" in claim.slots
    assert claim.value.words == ("bob",)


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("Alice lives in San Francisco.", "location", ("san", "francisco")),
        ("Alice just moved to Boston.", "location", ("boston",)),
        ("The tool is licensed under MIT.", "license", ("mit",)),
        ("The licence of the tool is MIT.", "license", ("mit",)),
        ("Alice works for Acme.", "employer", ("acme",)),
    ],
)
def test_wordings_of_an_attribute_share_its_key(nlp, text, attribute, value):
    claim = one(nlp, text)
    assert claim.attribute.words == (attribute,)
    assert claim.value.words == value
    assert claim.single_valued


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The gateway is not reliable.", {"reliable"}),
        ("The gateway isn’t reliable.", {"reliable"}),
        ("The gateway is not reliable or stable.", {"reliable", "stable"}),
        ("The team failed to deliver.", {"deliver"}),
        ("The team was unable to deliver.", {"deliver"}),
        ("The team never delivered.", {"delivered"}),
        ("The team stopped delivering.", {"delivering"}),
        ("The tool has no plugins.", {"plugins"}),
        ("Neither Alice nor Bob was elected.", {"elected"}),
        ("Do not forget to restart the service.", set()),
        ("It is not only fast but also stable.", set()),
        ("The list is non-exhaustive.", {"exhaustive"}),
        ("Notes know nowhere.", set()),
        ("It may or may not have a divider.", set()),
        ("The engine ships with disabled: false.", {"disabled"}),
    ],
)
def test_negation_denies_the_word_in_its_scope(nlp, text, words):
    assert denied(one(nlp, text)) <= words | {"know"}
    if words:
        assert denied(one(nlp, text)) == words


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("In staging the timeout is 5 seconds.", ("environment", "staging")),
        ("On Windows the limit is 5 files.", ("platform", "window")),
        ("In the free tier logs are kept for 7 days.", ("tier", "free")),
        ("In version 2 the limit is 50 MB.", ("version", "2")),
        ("In 2023 we served 40 tenants.", ("period", "2023")),
        ("The limit is 5 files unless the admin is away.", ("unless", "admin away")),
    ],
)
def test_conditions_are_kept_beside_the_claim(nlp, text, scope):
    assert scope in one(nlp, text).scope


def test_a_condition_about_being_set_is_the_default(nlp):
    assert one(nlp, "It gives up after 60 seconds unless you set a limit.").scope == (
        ("default", ""),
    )


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("A section must be present.", "must"),
        ("The section is optional.", "optional"),
        ("The section can be left out.", "can"),
        ("Required: no", "optional"),
        ("Restart the service.", "should"),
    ],
)
def test_modality(nlp, text, modality):
    assert one(nlp, text).modality in (modality, "optional" if modality == "can" else modality)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("The limit used to be 5 MB.", "used_to"),
        ("The limit is now 5 MB.", "changed"),
        ("Alice just moved to Oslo.", "changed"),
        ("The team delivered the job.", "past"),
        ("The limit is 5 MB.", ""),
    ],
)
def test_time(nlp, text, time):
    assert one(nlp, text).time == time


@pytest.mark.parametrize(
    "text", ["Is the limit 5 MB?", "For example, the limit is 5 MB.", "Suppose the limit is 5 MB."]
)
def test_questions_and_examples_are_not_asserted_and_have_no_slots(nlp, text):
    claim = one(nlp, text)
    assert not claim.asserted
    assert claim.slots == ()


def test_clauses_make_claims_of_their_own(nlp):
    claims = claims_of_text("The staging network is down and production is up.", nlp)
    assert len(claims) == 2


def test_it_stands_for_the_subject_of_the_clause_before(nlp):
    claims = claims_of_text("The scan runs nightly; it is disabled on Sundays.", nlp)
    assert "scan" in claims[-1].subject.words


@pytest.mark.parametrize(
    "text", ["It is fast.", "This works.", "They are new.", "There is one.", "The value is good."]
)
def test_no_slot_is_made_of_words_that_name_nothing(nlp, text):
    for claim in claims_of_text(text, nlp):
        assert all(not slot.startswith(("it|", "this|", "they|", "there|")) for slot in claim.slots)
        assert len(claim.slots) <= 4


def test_places_of_terms_are_places_in_the_text(nlp):
    text = "Acme's CEO is Alice, and the budget of the Oslo office isn’t $5,000."
    for claim in claims_of_text(text, nlp):
        for term in (*claim.content, *claim.negation, claim.value, claim.subject):
            if term.start >= 0:
                assert text[term.start : term.end] == term.text
        for quantity in claim.quantities:
            assert text[quantity.start : quantity.end] == quantity.text


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(max_size=100))
def test_any_text_makes_claims_of_sound_form(plain, nlp, text):
    for language in (plain, nlp):
        for claim in claims_of_text(text, language):
            assert len(claim.kinds) == len(claim.content)
            assert len(claim.slots) <= 4
        assert claims_of_text(text, language) == claims_of_text(text, language)


def test_without_a_model_claims_have_the_same_form(plain):
    claim = one(plain, "Alice is the CEO of Acme.")
    assert (claim.subject.words, claim.attribute.words) == (("acme",), ("ceo",))
    assert denied(one(plain, "The gateway is not reliable.")) == {"reliable"}
    assert ("environment", "staging") in one(plain, "In staging the cap is 5 MB.").scope


def test_who_maintains_a_thing_is_its_attribute_only_if_somebody_is_named(nlp):
    claim = one(nlp, "The gateway is maintained by Alice Ray.")
    assert claim.attribute.words == ("maintain", "by")
    assert claim.subject.words == ("gateway",)
    assert claim.single_valued
    assert "maintain" not in one(nlp, "The gateway is maintained by hand.").attribute.words
    assert "maintain" not in one(nlp, "Alice maintains Acme by Friday.").attribute.words


def test_a_subject_of_two_words_meets_others_under_what_is_said_of_it(nlp):
    first = one(nlp, "The event store compresses payloads.")
    second = one(nlp, "The event store does not compress payloads.")
    assert set(first.slots) & set(second.slots)
    assert not one(nlp, "The store compresses payloads.").slots
