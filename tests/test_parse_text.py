"""Plain text: what gives it shape, and what must not be taken for shape."""

from __future__ import annotations

import pytest

from hebbs_index.layers.parse import parse
from hebbs_index.records import Block


def blocks(text: str) -> list[Block]:
    return list(parse("a.txt", text.encode()).blocks)


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in blocks(text)]


def test_paragraphs_end_at_blank_lines() -> None:
    assert kinds("One line\nand its end.\n\n    Indented words.\n") == [
        ("paragraph", "One line and its end."),
        ("paragraph", "Indented words."),
    ]


def test_items_of_a_list_know_their_lead_in_and_their_parents() -> None:
    found = blocks(
        "Rules:\n\n * first\n   goes on\n    - nested\n\n   second paragraph\n 2) last\n"
    )
    assert [(b.text, b.lead_in) for b in found[1:]] == [
        ("first goes on", "Rules:"),
        ("nested", "Rules: > first goes on"),
        ("second paragraph", "Rules:"),
        ("last", "Rules:"),
    ]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [("Owner: Zoë\n", "Owner", "Zoë"), ("max-age: 30 days\n", "max-age", "30 days")],
)
def test_a_key_with_a_value_is_a_field(text: str, key: str, value: str) -> None:
    (block,) = blocks(text)
    assert (block.kind.value, block.key, block.text) == ("field", (key,), value)


@pytest.mark.parametrize(
    "text",
    [
        "Note: the server restarts.",
        "See http://example.org for more.",
        "The rule that we all agreed on back then: never deploy on Friday.",
        "Owner: the platform team,\nwhich is on call.",
    ],
)
def test_prose_with_a_colon_is_no_field(text: str) -> None:
    assert [kind for kind, _ in kinds(text)] == ["paragraph"]


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Overview\n========\n", 1),
        ("Details\n-------\n", 2),
        ("RELEASE NOTES\n", 2),
        ("# Notes\n", 1),
        ("1.2 Scope of it\n", 2),
    ],
)
def test_headings_are_seen(text: str, level: int) -> None:
    found = blocks(f"{text}\nWords below.\n")
    assert (found[0].kind.value, found[0].heading_level) == ("heading", level)
    assert found[1].heading_path == (found[0].text,)


@pytest.mark.parametrize("text", ["OK.", "NASA", "A sentence stands alone here", "3 THINGS: ONE"])
def test_a_lone_line_is_not_always_a_heading(text: str) -> None:
    assert kinds(text)[0][0] != "heading"


def test_logs_and_commands_are_code() -> None:
    assert [
        kind for kind, _ in kinds("2024-01-01 10:00:00 INFO up\n2024-01-01 10:00:01 ERROR x\n")
    ] == ["code"]
    assert kinds("$ make install\n$ make test\n")[0][0] == "code"


def test_quoted_lines_are_a_quote() -> None:
    assert kinds("> they said\n> this\nand we answer\n") == [
        ("quote", "they said this"),
        ("paragraph", "and we answer"),
    ]


def test_rules_are_not_text() -> None:
    assert kinds("One.\n\n-----\n\nTwo.\n") == [("paragraph", "One."), ("paragraph", "Two.")]
