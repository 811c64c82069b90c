"""Front matter: values, places, and what happens when it is not what it seems."""

from __future__ import annotations

import json

import pytest

from hebbs_index.layers.parse import parse
from hebbs_index.records import BlockKind, ParsedFile


def read(front: str, body: str = "Body words.\n") -> ParsedFile:
    return parse("a.md", f"---\n{front}\n---\n{body}".encode())


def fields(parsed: ParsedFile) -> list[tuple[tuple[str, ...], str]]:
    return [(b.key, b.text) for b in parsed.blocks if b.kind is BlockKind.FIELD]


def test_values_are_json_able_and_dates_are_iso() -> None:
    # `on` is a boolean in YAML 1.1; as a key it is a name all the same.
    parsed = read(
        "title: T\ndate: 2024-03-01\nat: 2024-03-01T10:00:00Z\nn: 30\nratio: 0.5\non: true\n"
        "nothing: null\nbad: .nan\nclock: 12:30:00\nodd: 2024-99-99\ncustom: !thing x"
    )
    assert json.loads(json.dumps(parsed.front_matter)) == {
        "title": "T",
        "date": "2024-03-01",
        "at": "2024-03-01T10:00:00+00:00",
        "n": 30,
        "ratio": 0.5,
        "on": True,
        "nothing": None,
        "bad": ".nan",
        "clock": "12:30:00",
        "odd": "2024-99-99",
        "custom": "x",
    }


def test_each_scalar_is_a_field_at_its_place() -> None:
    parsed = read("owner:\n  name: 'Zoë'\n  teams: [core, web]\ntags:\n- a b\n- c\n")
    assert fields(parsed) == [
        (("owner", "name"), "Zoë"),
        (("owner", "teams"), "core"),
        (("owner", "teams"), "web"),
        (("tags",), "a b"),
        (("tags",), "c"),
    ]
    for block in parsed.blocks:
        assert parsed.text[block.span.start : block.span.end] == block.text
    assert [block.span.line_start for block in parsed.blocks] == [3, 4, 4, 6, 7, 10]


def test_places_hold_behind_characters_outside_of_the_basic_plane() -> None:
    parsed = read('mood: 😀😀\nname: "caf\\u00e9 bar"\nlast: here')
    places = {b.text: parsed.text[b.span.start : b.span.end] for b in parsed.blocks}
    assert places["here"] == "here"
    assert places["😀😀"] == "😀😀"
    assert places["café bar"].endswith("bar")


def test_folded_and_literal_blocks_keep_their_words_and_lines() -> None:
    parsed = read("long: >\n  one two\n  three\nnotes: |\n  four\n  five\n")
    assert [text for _, text in fields(parsed)] == ["one two three", "four five"]
    assert (parsed.blocks[0].span.line_start, parsed.blocks[0].span.line_end) == (3, 4)


def test_the_title_of_the_front_matter_wins() -> None:
    assert read("title: Given", "# Heading\n").title == "Given"
    assert read("other: x", "# Heading\n").title == "Heading"


def test_invalid_yaml_is_noted_with_its_line_and_skipped() -> None:
    parsed = read("title: Policy: rules\nowner: x")
    assert parsed.front_matter == {}
    assert parsed.problems[0].stage == "front matter"
    assert "line 2" in parsed.problems[0].reason
    assert [block.text for block in parsed.blocks] == ["Body words."]


def test_front_matter_that_is_not_closed_is_noted_and_read_as_text() -> None:
    parsed = parse("a.md", b"---\ntitle: x\n\nBody words.\n")
    assert "not closed" in parsed.problems[0].reason
    assert parsed.blocks[-1].text == "Body words."


@pytest.mark.parametrize("text", ["---\n\nA first thought.\n\n---\n\nMore.\n", "---\n- a\n---\n"])
def test_a_rule_is_not_front_matter(text: str) -> None:
    parsed = parse("a.md", text.encode())
    assert (parsed.front_matter, parsed.problems) == ({}, ())
    assert parsed.blocks[0].kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)


def test_a_key_given_twice_is_noted_and_the_last_one_counts() -> None:
    parsed = read("a: 1\na: 2")
    assert parsed.front_matter == {"a": 2}
    assert "given twice" in parsed.problems[0].reason


def test_an_alias_is_not_followed() -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]"
    parsed = read(bomb)
    assert parsed.front_matter["d"] == [None, None]
    assert any("alias" in problem.reason for problem in parsed.problems)


@pytest.mark.parametrize(
    "front",
    [
        "a: " + "[" * 5_000,
        "a: " + "{b: " * 100,
        "a: [" + "1, " * 10_000 + "1]",
        "a: " + "x" * 200_000,
    ],
)
def test_front_matter_beyond_the_limits_is_noted_and_skipped(front: str) -> None:
    parsed = read(front)
    assert parsed.problems[0].stage == "front matter"
    assert parsed.blocks[-1].text == "Body words."


@pytest.mark.parametrize(
    "value", ["!!int ''", "!!timestamp x", "!!binary é", "!!float ''", "!!set x"]
)
def test_a_value_that_does_not_fit_its_tag_is_kept_as_written(value: str) -> None:
    written = value.split(" ", 1)[1].strip("'")
    assert read(f"a: {value}").front_matter == {"a": written}


def test_an_empty_front_matter_is_skipped() -> None:
    parsed = parse("a.md", b"---\n---\nBody words.\n")
    assert [block.text for block in parsed.blocks] == ["Body words."]
