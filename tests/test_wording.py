"""What the wording of a text gives away without a model."""

from __future__ import annotations

import pytest

from hebbs_index.layers.wording import (
    aside_kind,
    is_fragment,
    is_question,
    is_quoted,
    label_end,
    names_no_subject,
    speaking_heading,
    states_nothing,
)


@pytest.mark.parametrize(
    "text",
    [
        "TBD",
        "TODO: write this part",
        "N/A",
        "---",
        "Coming soon.",
        "{{ page.title }}",
        "{% include nav.html %}",
        "https://example.com/a/b",
        "<https://example.com>",
        "Overview",
        "12",
    ],
)
def test_placeholders_templates_and_addresses_state_nothing(text: str) -> None:
    assert states_nothing(text)


@pytest.mark.parametrize("text", ["Alice", "30", "optional"])
def test_a_single_word_is_an_answer_only_where_something_stands_before_it(text: str) -> None:
    assert states_nothing(text)
    assert not states_nothing(text, joined=True)


def test_a_sentence_with_an_address_states_something() -> None:
    assert not states_nothing("The wiki lives at https://example.com/wiki.")


@pytest.mark.parametrize(
    "text",
    [
        "It defaults to 30.",
        "Defaults to 30.",
        "This is fine.",
        "Must be set.",
        "The default is 30 seconds.",
        "They're gone.",
    ],
)
def test_pronouns_verbs_and_shared_nouns_name_no_subject(text: str) -> None:
    assert names_no_subject(text)


@pytest.mark.parametrize("text", ["The API allows 100 requests.", "Redis is a cache.", "We ship."])
def test_a_statement_that_names_its_subject_needs_no_heading(text: str) -> None:
    assert not names_no_subject(text)


def test_fragments_have_no_end_and_no_verb_or_a_small_start() -> None:
    assert is_fragment("the admin role")
    assert is_fragment("Two weeks of leave")
    assert not is_fragment("The cap is 3")
    assert not is_fragment("kube-proxy 1.2 runs on every node.")


def test_questions_and_whole_quotations_are_told() -> None:
    assert is_question("Is it on?")
    assert is_question("Is it **on?**")
    assert is_quoted("“It is on.”")
    assert not is_quoted("“It” is on, “they” say.")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("Limits", "Overview"), "Limits"),
        (("Limits", "Read timeout"), "Read timeout"),
        (("3. Networking outline",), "Networking outline"),
        (("Storage team", "March 5, 2024"), "Storage team"),
        (("Notes",), ""),
        ((), ""),
    ],
)
def test_the_heading_that_names_something_is_taken(path: tuple[str, ...], expected: str) -> None:
    assert speaking_heading(path) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Owner: Alice", "Alice"),
        ("Read timeout: 30 s", "30 s"),
        ("Owner – Alice", ""),
        ("It is clear: we stop", ""),
        ("See https://example.com", ""),
        ("A long label of many words here: no", ""),
    ],
)
def test_a_label_is_short_and_has_no_verb(text: str, value: str) -> None:
    end = label_end(text)

    assert (text[end:] if end else "") == value


def test_a_label_in_bold_may_be_set_off_by_a_dash() -> None:
    assert label_end("Owner – Alice", ((0, 5),)) == len("Owner – ")


def test_notes_and_examples_are_told_from_labels() -> None:
    assert aside_kind("Note: ") == "aside"
    assert aside_kind("e.g.: ") == "example"
    assert aside_kind("Owner: ") == ""
