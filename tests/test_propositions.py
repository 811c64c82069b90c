"""Files become statements that can be read alone, each at its exact place."""

from __future__ import annotations

import html
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbs_index import ids
from hebbs_index.layers.documents import make_document
from hebbs_index.layers.drafts import PropositionDraft
from hebbs_index.layers.nlp import LanguageModel, load_language_model
from hebbs_index.layers.parse import parse
from hebbs_index.layers.propositions import drafts_of, passages_of


@pytest.fixture(scope="module")
def bare() -> LanguageModel:
    return load_language_model(enabled=False)


def drafts(
    text: str, language: LanguageModel, path: str = "guide.md", folders: tuple[str, ...] = ()
) -> list[PropositionDraft]:
    parsed = parse(path, text.encode())
    frame, passages = passages_of(parsed, make_document(parsed, entity_folders=folders))
    docs = language.pipe([passage.read for passage in passages])
    return [
        draft
        for passage, doc in zip(passages, docs, strict=True)
        for draft in drafts_of(passage, doc, frame, has_parser=language.has_parser)
    ]


def texts(text: str, language: LanguageModel) -> list[str]:
    return [draft.text for draft in drafts(text, language)]


# -- what becomes a statement


def test_sentences_of_a_paragraph_are_statements(bare: LanguageModel) -> None:
    assert texts("The cap is 3. Redis is *fast*.", bare) == ["The cap is 3.", "Redis is fast."]


def test_headings_code_and_navigation_state_nothing(bare: LanguageModel) -> None:
    text = "# The cap is 3\n\n```\nThe cap is 4.\n```\n\n- [One](a.md)\n- [Two](b.md)\n\nTBD\n"

    assert texts(text, bare) == []


def test_questions_and_quotes_are_kept_but_never_asserted(bare: LanguageModel) -> None:
    found = drafts("Is the cap 3?\n\n> The cap is 4.\n\nThe cap is 5.\n", bare)

    assert [(draft.text, draft.asserted) for draft in found] == [
        ("Is the cap 3?", False),
        ("The cap is 4.", False),
        ("The cap is 5.", True),
    ]


def test_open_tasks_and_examples_are_not_asserted(bare: LanguageModel) -> None:
    found = drafts("- [ ] Raise the cap to 4.\n\nExample: the cap is 5 there.\n", bare)

    assert [draft.asserted for draft in found] == [False, False]


def test_a_note_label_is_left_out(bare: LanguageModel) -> None:
    assert texts("**Note:** The cap is 3.", bare) == ["The cap is 3."]


def test_inline_code_alone_states_nothing(bare: LanguageModel) -> None:
    assert texts("`make install all`", bare) == []


# -- context


def test_a_list_item_is_joined_to_what_introduces_it(bare: LanguageModel) -> None:
    found = texts("The API supports:\n\n- JSON bodies\n- XML bodies\n", bare)

    assert found == ["The API supports: JSON bodies", "The API supports: XML bodies"]


def test_a_fragment_in_a_list_takes_its_heading(bare: LanguageModel) -> None:
    assert texts("# Maintainers\n\n- Alice Smith\n- Bob Jones\n", bare) == [
        "Maintainers: Alice Smith",
        "Maintainers: Bob Jones",
    ]


def test_a_statement_without_a_subject_is_embedded_under_its_heading(bare: LanguageModel) -> None:
    [draft] = drafts("# Limits\n\n## Read timeout\n\nIt defaults to 30.\n", bare)

    assert draft.text == "It defaults to 30."
    assert draft.embed_text == "Read timeout: It defaults to 30."
    assert draft.context == ("Read timeout",)


def test_a_statement_that_names_its_subject_does_not_hang_on_its_heading(
    bare: LanguageModel,
) -> None:
    [first] = drafts("# One\n\nThe Billing API allows 100 requests.\n", bare)
    [second] = drafts("# Two\n\nThe Billing API allows 100 requests.\n", bare)

    assert first.context == second.context == ()
    assert first.embed_text == second.embed_text


def test_a_description_speaks_of_its_label(bare: LanguageModel) -> None:
    text = "- `timeout`: Seconds to wait for an answer. Defaults to 30.\n"

    assert texts(text, bare) == [
        "timeout: Seconds to wait for an answer.",
        "timeout: Defaults to 30.",
    ]


# -- rows, fields, labels


TABLE = """# Customers

| Customer | Read cap | Region |
| --- | --- | --- |
| Acme | 3.3k ops/s | - |
| Globex | 4k ops/s | Boston |
"""


def test_a_row_says_one_thing_a_column(bare: LanguageModel) -> None:
    assert texts(TABLE, bare) == [
        "Acme, Read cap: 3.3k ops/s",
        "Globex, Read cap: 4k ops/s",
        "Globex, Region: Boston",
    ]


def test_a_row_keeps_its_parts_apart(bare: LanguageModel) -> None:
    draft = drafts(TABLE, bare)[0]

    assert draft.structure is not None
    assert (draft.structure.subject, draft.structure.attribute) == ("Acme", "Read cap")
    assert draft.text[draft.structure.value_start :] == draft.structure.value == "3.3k ops/s"
    assert draft.own_text == "3.3k ops/s"
    assert draft.context == ("Acme", "Read cap")


def test_a_column_that_counts_rows_is_no_label(bare: LanguageModel) -> None:
    text = "| # | Name | Cap |\n| - | - | - |\n| 1 | Acme | 30 |\n"

    assert texts(text, bare) == ["Acme, Cap: 30"]


def test_a_vague_row_label_takes_the_heading(bare: LanguageModel) -> None:
    text = "# Office hours\n\n| Day | Time |\n| - | - |\n| Monday | 10:00 |\n"

    assert texts(text, bare) == ["Office hours, Monday, Time: 10:00"]


def test_front_matter_speaks_of_the_file(bare: LanguageModel) -> None:
    text = "---\ntitle: Billing\nlayout: page\nowner: Alice\nnav_order: 3\n---\n\n# Billing\n"
    [draft] = drafts(text, bare)

    assert draft.text == "Billing, owner: Alice"
    assert draft.context == ("Billing", "owner")
    assert text[draft.span.start : draft.span.end] == "Alice"


def test_lines_of_labels_are_statements_each(bare: LanguageModel) -> None:
    [owner, region] = drafts("# Billing API\n\nOwner: Alice\nRegion: Boston\n", bare)

    assert owner.text == "Billing API, Owner: Alice"
    assert region.text == "Billing API, Region: Boston"
    assert region.structure is not None
    assert (region.structure.attribute, region.structure.value) == ("Region", "Boston")
    assert (region.span.line_start, region.span.line_end) == (4, 4)


# -- places


DOCUMENT = """---
owner: Alice
---

# Limits

The **read** cap is `3`. It may be
raised. See [the guide](guide.md) for more.

- First *item* here. Second part &amp; more.

| Name | Cap |
| ---- | --- |
| Acme | **30** ops |
"""


def test_a_span_holds_the_statement_as_written(bare: LanguageModel) -> None:
    written = {d.own_text: DOCUMENT[d.span.start : d.span.end] for d in drafts(DOCUMENT, bare)}

    assert written["The read cap is 3."] == "The **read** cap is `3`."
    assert written["It may be raised."] == "It may be\nraised."
    assert written["Second part & more."] == "Second part &amp; more."
    assert written["30 ops"].removesuffix("**").startswith("30")


def test_lines_are_those_of_the_source(bare: LanguageModel) -> None:
    lines = {d.own_text: (d.span.line_start, d.span.line_end) for d in drafts(DOCUMENT, bare)}

    assert lines["The read cap is 3."] == (7, 7)
    assert lines["It may be raised."] == (7, 8)
    assert lines["30 ops"] == (14, 14)


def test_tokens_and_marked_ranges_stand_where_the_text_says(bare: LanguageModel) -> None:
    for draft in drafts(DOCUMENT, bare):
        for token in draft.tokens:
            at = token.idx - draft.tokens.start_char + draft.token_offset
            assert draft.text[at : at + len(token.text)] == token.text
    cap = next(draft for draft in drafts(DOCUMENT, bare) if draft.own_text.startswith("The read"))
    assert [cap.text[a:b] for a, b in cap.code] == ["3"]
    assert [cap.text[a:b] for a, b in cap.strong] == ["read"]


def test_dates_come_from_the_nearest_heading_that_states_one(bare: LanguageModel) -> None:
    text = (
        "---\ndate: 2020-01-01\n---\n\nOld things stay.\n\n"
        "## March 5, 2024\n\n### Notes\n\nNew cap is 3.\n"
    )
    found = {draft.own_text: draft.dated for draft in drafts(text, bare)}

    assert (found["Old things stay."].date, found["Old things stay."].basis) == (
        "2020-01-01",
        "front matter",
    )
    assert (found["New cap is 3."].date, found["New cap is 3."].basis) == ("2024-03-05", "heading")


WORDS = st.sampled_from(
    [
        *(
            "The",
            "cap is 3.",
            "It",
            "e.g.",
            "`code`",
            "**bold**",
            "|",
            "-",
            "#",
            "\n",
            "\n\n",
            "Owner:",
        ),
        "?",
        "Acme",
        "and",
        "runs",
        ">",
        "*",
        "[a](b)",
        "&amp;",
        "1.",
    ]
)


@cache
def _tokenizer() -> LanguageModel:
    return load_language_model(enabled=False)


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, max_size=40).map(" ".join))
def test_every_statement_of_any_text_keeps_its_place_and_its_words(text: str) -> None:
    language = _tokenizer()
    parsed = parse("any.md", text.encode())
    for draft in drafts(text, language, "any.md"):
        source = html.unescape(parsed.text[draft.span.start : draft.span.end])
        assert draft.own_text
        assert draft.own_text in draft.text
        assert draft.text in draft.embed_text
        assert all(word in source for word in draft.own_text.split())
        assert 1 <= draft.span.line_start <= draft.span.line_end


# -- clauses (the model's part)


@pytest.mark.model
def test_two_main_clauses_become_two_statements(nlp: LanguageModel) -> None:
    text = "The API allows 100 requests and is written in Go."

    assert texts(text, nlp) == ["The API allows 100 requests", "The API is written in Go."]


@pytest.mark.model
def test_a_clause_keeps_its_own_words_and_place(nlp: LanguageModel) -> None:
    text = "The **API** allows 100 requests and is written in `Go`."
    second = drafts(text, nlp)[1]

    assert second.own_text == "is written in Go."
    assert text[second.span.start : second.span.end] == "is written in `Go`."
    assert second.context == ("The API",)
    assert second.sentence == "The API allows 100 requests and is written in Go."
    assert second.subject.text == "The API"
    assert second.text[second.code[0][0] : second.code[0][1]] == "Go"


@pytest.mark.model
@pytest.mark.parametrize(
    "text",
    [
        "If the flag is set, the API is on and the cache is off.",
        "The API reads and writes files.",
        "The API is on and the cache is off unless the flag is set.",
        "Alice says that the API is on and the cache is off.",
        "All metrics are measured daily and evaluated weekly.",
        "The service, which is small and runs on Linux, is fast.",
        "Open the file and edit the first line.",
        "The API is neither fast nor small.",
        "The client opens the file and it closes.",
    ],
)
def test_what_may_hang_together_stays_together(nlp: LanguageModel, text: str) -> None:
    assert texts(text, nlp) == [text]


@pytest.mark.model
def test_sentence_keys_do_not_depend_on_the_model(nlp: LanguageModel, bare: LanguageModel) -> None:
    text = DOCUMENT + "\nThe API allows 100 requests and is written in Go.\n"

    def keys(language: LanguageModel) -> set[str]:
        return {ids.statement_key(d.sentence, d.sentence_context) for d in drafts(text, language)}

    assert keys(nlp) == keys(bare)
