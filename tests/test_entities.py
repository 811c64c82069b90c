"""Names are found, merged under one key, and related only where the text says so."""

from __future__ import annotations

import pytest

from hebbs_index.layers.documents import make_document
from hebbs_index.layers.drafts import PropositionDraft
from hebbs_index.layers.entities import FileEntities, find_entities
from hebbs_index.layers.nlp import LanguageModel, load_language_model
from hebbs_index.layers.parse import parse
from hebbs_index.layers.propositions import drafts_of, passages_of


@pytest.fixture(scope="module")
def bare() -> LanguageModel:
    return load_language_model(enabled=False)


def analysed(text: str, language: LanguageModel) -> tuple[list[PropositionDraft], FileEntities]:
    parsed = parse("guide.md", text.encode())
    frame, passages = passages_of(parsed, make_document(parsed))
    docs = language.pipe([passage.read for passage in passages])
    drafts = [
        draft
        for passage, doc in zip(passages, docs, strict=True)
        for draft in drafts_of(passage, doc, frame, has_parser=language.has_parser)
    ]
    return drafts, find_entities(drafts, has_parser=language.has_parser)


def keys(text: str, language: LanguageModel) -> set[str]:
    _, found = analysed(text, language)
    return {mention.entity for mentions in found.mentions for mention in mentions}


def stated(text: str, language: LanguageModel) -> set[tuple[str, str, str]]:
    _, found = analysed(text, language)
    return {(one.subject, one.predicate, one.object) for one in found.relations}


# -- names, without a model


def test_identifiers_are_names_by_their_shape(bare: LanguageModel) -> None:
    text = (
        "Set readTimeout, max_conns, cache.size and DB_HOST with `--verbose` on the OrderService."
    )

    assert keys(text, bare) == {
        "readtimeout",
        "max conns",
        "cache.size",
        "db host",
        "verbose",
        "orderservice",
    }


@pytest.mark.parametrize(
    "text",
    [
        "We must NOT do it on Monday, 3 May 2024 at 10:30 AM.",
        "The cap is 30, i.e. 5.5% or $3, e.g. for them.",
        "The value is `true` and its type is `string`.",
        "I think they said that it is on.",
    ],
)
def test_numbers_dates_pronouns_and_shouted_words_are_no_names(
    text: str, bare: LanguageModel
) -> None:
    assert keys(text, bare) == set()


def test_a_defined_term_is_a_name(bare: LanguageModel) -> None:
    assert "business day" in keys("“business day” means any day but Sunday.", bare)
    assert "grace period" in keys("**Grace period** is the time until we stop.", bare)


def test_a_row_label_is_a_name_and_a_column_header_is_none(bare: LanguageModel) -> None:
    text = "| Setting | Default |\n| - | - |\n| read timeout | 30 |\n"

    assert keys(text, bare) == {"read timeout"}


def test_mentions_stand_where_their_text_is(bare: LanguageModel) -> None:
    drafts, found = analysed("The **OrderService** uses `max_conns` of Redis's pool.", bare)

    for draft, mentions in zip(drafts, found.mentions, strict=True):
        assert mentions
        assert all(draft.text[one.start : one.end] == one.name for one in mentions)


def test_case_and_separators_make_no_other_entity(bare: LanguageModel) -> None:
    text = "Set `read_timeout` here. The `READ-TIMEOUT` counts seconds."
    _, found = analysed(text, bare)

    assert {m.entity for mentions in found.mentions for m in mentions} == {"read timeout"}
    assert found.main == ("read_timeout", "read_timeout")


def test_a_short_form_joins_its_long_form_and_a_plural_its_singular(bare: LanguageModel) -> None:
    text = "Each team has a Service Level Objective (SLO). We review SLOs here. Our SLO is 99%."

    found = keys(text, bare)

    assert "slo" not in found
    assert "slos" not in found
    assert "service level objective" in found


def test_a_short_form_may_leave_out_small_words(bare: LanguageModel) -> None:
    text = "We work with the Office of Programs and Products (OPP). We like OPP."

    assert "office of programs and products" in keys(text, bare)


def test_without_a_parser_there_are_no_relations(bare: LanguageModel) -> None:
    assert stated("Alice lives in Boston. Boston is where Alice works.", bare) == set()


# -- with the model

STATEMENTS = """Acme uses PostgreSQL for billing.

Globex is owned by Acme.

Alice Smith is the CEO of Acme.

Acme's CTO is Bob Jones.

Bob Jones, the architect of Globex, wrote the plan.

Carol Miller lives in Boston and works for Acme.

Carol Miller moved to Boston.

PostgreSQL runs on Kubernetes. Kubernetes is used by Globex.
"""


@pytest.mark.model
@pytest.mark.parametrize(
    "relation",
    [
        ("acme", "use", "postgresql"),  # active
        ("acme", "own", "globex"),  # passive
        ("alice smith", "ceo of", "acme"),  # copular
        ("bob jones", "cto of", "acme"),  # possessive
        ("bob jones", "architect of", "globex"),  # appositive
        ("carol miller", "live in", "boston"),  # prepositional
        ("carol miller", "work for", "acme"),  # with a shared subject
        ("postgresql", "run on", "kubernetes"),
    ],
)
def test_every_form_of_relation_is_found(
    nlp: LanguageModel, relation: tuple[str, str, str]
) -> None:
    assert relation in stated(STATEMENTS, nlp)


@pytest.mark.model
@pytest.mark.parametrize(
    "text",
    [
        "Acme does not use Oracle.",
        "Does Acme use Oracle?",
        "If Acme uses Oracle, it pays.",
        "Acme may use Oracle.",
        "No team at Acme uses Oracle.",
        "> Acme uses Oracle.",
    ],
)
def test_what_is_denied_asked_or_open_relates_nothing(nlp: LanguageModel, text: str) -> None:
    assert stated(f"{text}\n\nOracle and Acme are companies.\n", nlp) == set()


@pytest.mark.model
def test_a_relation_joins_its_statement_to_the_nearest_other_mention(nlp: LanguageModel) -> None:
    drafts, found = analysed(
        "Oracle is big.\n\nWe wait.\n\nAcme owns Oracle.\n\nOracle is old.\n", nlp
    )

    [relation] = [one for one in found.relations if one.predicate == "own"]
    assert drafts[relation.source].text == "Acme owns Oracle."
    assert drafts[relation.target].text == "Oracle is old."


@pytest.mark.model
def test_a_relation_without_another_mention_is_left_out(nlp: LanguageModel) -> None:
    assert stated("Acme owns Oracle. We wait.", nlp) == set()


@pytest.mark.model
def test_the_main_entity_is_the_subject(nlp: LanguageModel) -> None:
    _, found = analysed("In Boston, Acme Corporation runs a lab. In Boston it rains.", nlp)

    assert found.main == ("Acme Corporation", "Boston")
