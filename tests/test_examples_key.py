"""The answer key of the example corpus agrees with the files it speaks of.

Holds a small reader of `examples/expected.toml` that other tests may import
(`load_key`, `Pair`, `Side`), and the checks that make the key worth measuring
against: every quoted statement starts at the line the key names, every kind of
conflict and of near miss is there, and labels do not contradict each other.
Nothing here runs the detector.
"""

from __future__ import annotations

import html
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
CORPUS = EXAMPLES / "corpus"

SIGNALS = frozenset(
    [
        "negation",
        "antonym",
        "numeric",
        "value",
        "modality",
        "quantifier",
        "date",
        "status",
        "definition",
    ]
)
FLAGGED_KINDS = SIGNALS | {"implicit"}
QUIET_KINDS = frozenset(
    [
        "attribution",
        "bound",
        "changelog",
        "code",
        "double-negation",
        "environment",
        "example",
        "exception",
        "history",
        "hypothetical",
        "identifier",
        "list-number",
        "multi-valued",
        "override",
        "part",
        "period",
        "platform",
        "port",
        "prefix",
        "proposal",
        "question",
        "quote",
        "range",
        "refinement",
        "reworded",
        "role",
        "rounding",
        "subject",
        "substring",
        "tier",
        "unit",
        "version",
        "year",
    ]
)
QUEUED_LABELS = frozenset({"conflict", "update"})
QUIET_LABELS = frozenset({"refinement", "scope", "duplicate", "none"})
ASSERTED_FORMS = frozenset({"prose", "item", "row", "field"})
FORMS = ASSERTED_FORMS | {"heading", "quote", "code"}
LINES_OF_A_STATEMENT = 4

# Marks at the start of a line that are no part of the statement on it.
LINE_MARK = re.compile(r"^\s*(?:[-*] (?:\[[ x]\] )?|\d+\. |> |#+ |\|)")

# Pairs that the descriptions of the system use as examples, by words of both sides.
EXAMPLE_PAIRS = (
    ("$5,000 per tenant", "$2,000 per tenant"),
    ("lives in San Francisco", "just moved to Boston"),
    ("lives on the West Coast", "relocated to Boston"),
    ("Single, no kids", "just got married"),
    ("works as a data engineer", "promoted to senior data engineer"),
    ("work at Google", "senior engineer at Google"),
    ("work at Google", "at Google just moved to Alphabet"),
    ("live in San Francisco", "used to live in San Francisco"),
    ("loves spicy food", "avoiding spicy food lately"),
    ("vegetarian", "great steak dinner"),
    ("works at a bank", "some freelance work on the side"),
    ("between Boston and New York", "New York"),
    ("prefers dark mode in all applications", "prefers light mode in all applications"),
    ("reliable and stable", "unreliable and unstable"),
    ("delivered the second rack on schedule", "didn't deliver the second rack on schedule"),
    ("3.3k ops/s", "9k ops/s"),
    ("CEO is Alice", "CEO | Bob"),
    ("licensed under MIT", "licensed under Apache-2.0"),
)


@dataclass(frozen=True, slots=True)
class Side:
    """One statement: where it starts and its plain words."""

    path: str
    line: int
    text: str
    form: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements and what a detector should make of them."""

    id: str
    kind: str
    label: str
    step: int
    flagged: bool
    why: str
    a: Side
    b: Side
    supersedes: str | None = None
    debatable: bool = False
    cluster: str | None = None


def load_key(path: Path = EXAMPLES / "expected.toml") -> tuple[Pair, ...]:
    """The answer key; an unknown or missing key of a pair raises TypeError."""
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["pair"]
    return tuple(Pair(**{**row, "a": Side(**row["a"]), "b": Side(**row["b"])}) for row in rows)


def plain(line: str) -> str:
    """The words of a line of any of the four formats, without its markup."""
    words = html.unescape(re.sub(r"<[^>]+>", " ", line))
    return " ".join(re.sub(r"[*`]+", "", LINE_MARK.sub("", words)).split())


def starts_here(side: Side, lines: list[str]) -> bool:
    """Whether the statement starts at the line that its side names."""
    first = plain(lines[side.line - 1])
    if side.form == "row":
        label, value = side.text.split(" | ")
        cells = plain(lines[side.line - 1].replace("|", " "))
        return cells.startswith(f"{label} ") and f" {value} " in f"{cells.removeprefix(label)} "
    following = lines[side.line - 1 : side.line - 1 + LINES_OF_A_STATEMENT]
    position = " ".join(plain(line) for line in following).find(side.text)
    return 0 <= position < len(first)


def corpus_files() -> list[Path]:
    return sorted(path for path in CORPUS.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def key() -> tuple[Pair, ...]:
    return load_key()


def sides(pairs: tuple[Pair, ...]) -> list[tuple[str, Side]]:
    return [(pair.id, side) for pair in pairs for side in (pair.a, pair.b)]


def test_every_quoted_statement_starts_at_the_line_the_key_names(key: tuple[Pair, ...]) -> None:
    texts = {side.path: (CORPUS / side.path).read_text("utf-8") for _, side in sides(key)}

    astray = [
        (pair_id, side)
        for pair_id, side in sides(key)
        if not starts_here(side, texts[side.path].splitlines())
    ]

    assert astray == []


def test_a_statement_that_stands_elsewhere_is_noticed() -> None:
    lines = ["# Title", "", "The read cap is 9k.", "- Write cap: 2k", "| Cap | 3k |"]

    assert starts_here(Side("x.md", 3, "The read cap is 9k.", "prose"), lines)
    assert not starts_here(Side("x.md", 1, "The read cap is 9k.", "prose"), lines)
    assert not starts_here(Side("x.md", 3, "The read cap is 8k.", "prose"), lines)
    assert starts_here(Side("x.md", 5, "Cap | 3k", "row"), lines)
    assert not starts_here(Side("x.md", 5, "Cap | 4k", "row"), lines)


def test_ids_and_pairs_are_unique(key: tuple[Pair, ...]) -> None:
    ids = Counter(pair.id for pair in key)
    statements = Counter(frozenset({pair.a, pair.b}) for pair in key)

    assert [name for name, count in ids.items() if count > 1] == []
    assert max(statements.values()) == 1
    assert all(pair.a != pair.b for pair in key)


def test_flag_label_and_direction_agree(key: tuple[Pair, ...]) -> None:
    for pair in key:
        assert pair.label in (QUEUED_LABELS if pair.flagged else QUIET_LABELS), pair.id
        assert pair.kind in (FLAGGED_KINDS if pair.flagged else QUIET_KINDS), pair.id
        assert (pair.supersedes in ("a", "b")) == (pair.label == "update"), pair.id
        assert pair.step in (1, 2), pair.id


def test_flagged_pairs_rest_on_statements_that_assert(key: tuple[Pair, ...]) -> None:
    assert {side.form for _, side in sides(key)} == FORMS
    flagged = tuple(pair for pair in key if pair.flagged)
    assert {side.form for _, side in sides(flagged)} == ASSERTED_FORMS


def test_every_kind_of_conflict_and_of_near_miss_is_there(key: tuple[Pair, ...]) -> None:
    assert {pair.kind for pair in key if pair.flagged} == FLAGGED_KINDS
    assert {pair.kind for pair in key if not pair.flagged} == QUIET_KINDS
    assert {pair.label for pair in key} == QUEUED_LABELS | QUIET_LABELS


def test_there_are_enough_pairs_of_each_sort(key: tuple[Pair, ...]) -> None:
    flagged = [pair for pair in key if pair.flagged]

    assert len(flagged) >= 25
    assert sum(pair.step == 1 for pair in flagged) >= 15
    assert len(key) - len(flagged) >= len(flagged)
    assert any(pair.a.path == pair.b.path for pair in flagged)
    assert sum(pair.a.path != pair.b.path for pair in flagged) > len(flagged) / 2


def test_the_older_dated_file_is_side_a(key: tuple[Pair, ...]) -> None:
    for pair in key:
        dates = [re.match(r"\d{4}-\d\d-\d\d", Path(s.path).name) for s in (pair.a, pair.b)]
        if all(dates) and pair.flagged:
            older, newer = (found.group() for found in dates if found)
            assert older <= newer, pair.id


@pytest.mark.parametrize("words", EXAMPLE_PAIRS, ids=lambda words: words[0])
def test_the_well_known_example_pairs_are_in_the_key(
    key: tuple[Pair, ...], words: tuple[str, str]
) -> None:
    def holds(pair: Pair) -> bool:
        either_way = ((pair.a.text, pair.b.text), (pair.b.text, pair.a.text))
        return any(words[0] in one and words[1] in two for one, two in either_way)

    assert any(holds(pair) for pair in key)


def test_the_corpus_is_a_readable_folder_in_four_formats() -> None:
    files = corpus_files()

    assert {path.suffix for path in files} == {".md", ".txt", ".rst", ".html"}
    assert 25 <= len(files) <= 45
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert 30 <= len(lines) <= 120, path
        assert max(map(len, lines)) <= 120, path


def test_the_documents_do_not_give_the_game_away() -> None:
    telling = re.compile(r"contradict|planted|near.miss|answer key|expected\.toml", re.IGNORECASE)

    assert [path for path in corpus_files() if telling.search(path.read_text("utf-8"))] == []
