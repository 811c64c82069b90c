"""The command line over the real facade, without models: from a folder to lasting verdicts."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from hebbs_index.cli.main import main

WITHOUT_MODELS = ("--set", "language.enabled=false", "--set", "embedding.enabled=false")


class Shell:
    """Runs `hebbs` in a folder, with both models switched off."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.out = ""
        self.err = ""

    def __call__(self, *arguments: str) -> int:
        code = main([*WITHOUT_MODELS, *arguments])
        self.out, self.err = self._capsys.readouterr()
        return code

    def json(self, *arguments: str) -> Any:
        self(*arguments, "--json")
        return json.loads(self.out)


@pytest.fixture
def hebbs(tmp_path, monkeypatch, capsys) -> Shell:
    for variable in [name for name in os.environ if name.startswith("HEBBS_")]:
        monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


@pytest.fixture
def notes(tmp_path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "january.md").write_text("# Plan\n\nThe tenant budget is $5,000 per tenant.\n")
    (folder / "march.md").write_text("# Plan\n\nThe tenant budget is $2,000 per tenant.\n")
    return folder


def test_from_a_folder_to_a_lasting_verdict(hebbs, notes):
    assert hebbs("index", "notes") == 0
    assert "notes" not in hebbs.err or "problem" not in hebbs.out
    (pair,) = hebbs.json("contradiction-prepare")
    assert {pair["source_a"]["path"], pair["source_b"]["path"]} == {"january.md", "march.md"}
    assert pair["source_a"]["line_start"] == 3
    assert hebbs("check") == 10

    short = pair["pending_id"][:8]
    verdicts = [{"pending_id": short, "verdict": "dismiss", "reasoning": "two years"}]
    assert hebbs.json("contradiction-commit", "--verdicts", json.dumps(verdicts)) == {
        "contradictions_confirmed": 0,
        "revisions_created": 0,
        "dismissed": 1,
        "rejected": [],
        "already": 0,
    }
    assert hebbs.json("contradiction-commit", "--verdicts", json.dumps(verdicts))["already"] == 1
    assert hebbs("check") == 0

    assert hebbs("rebuild") == 0
    assert hebbs("check") == 0
    assert hebbs("undo", short) == 0
    assert hebbs("check") == 10


def test_what_is_off_is_said_and_a_second_run_analyzes_nothing(hebbs, notes):
    hebbs("index", "notes")
    assert "off: " in hebbs.out

    assert hebbs("index", "notes") == 0
    assert "2 unchanged" in hebbs.out
    last_run = hebbs.json("status")["last_run"]
    assert (last_run["files_analyzed"], last_run["language_texts"]) == (0, 0)


def test_reading_commands_answer_from_the_folder_above(hebbs, notes):
    hebbs("index", "notes")

    assert [row["path"] for row in hebbs.json("list")] == ["january.md", "march.md"]
    assert "using" in hebbs.err
    assert hebbs.json("recall", "tenant", "budget")[0]["source"]["line_start"] == 3
    assert hebbs.json("inspect", "march.md:3")[0]["content"].startswith("The tenant budget")
    assert hebbs.json("verify")["findings"]
    assert hebbs("why", "january.md:3", "march.md:3") == 0
    assert "flagged" in hebbs.out


def test_a_dry_run_changes_nothing(hebbs, notes):
    hebbs("index", "notes")
    (notes / "may.md").write_text("New.\n")

    assert hebbs("index", "notes", "--dry-run") == 0
    assert "would add  may.md" in hebbs.out
    assert len(hebbs.json("list")) == 2


def test_the_watched_files_are_never_written_to(hebbs, notes):
    before = {path.name: path.read_bytes() for path in notes.iterdir()}

    hebbs("index", "notes")
    hebbs("rebuild")

    after = {path.name: path.read_bytes() for path in notes.iterdir() if path.is_file()}
    assert after == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("status",), 4),
        (("contradiction-prepare",), 4),
        (("index",), 4),
        (("index", "no/such/folder"), 2),
        (("index", "a.md"), 2),
        (("--root", "no/such/folder", "status"), 2),
        (("--root", "a.md", "status"), 2),
    ],
)
def test_a_place_without_an_index_is_named(hebbs, arguments, code):
    (hebbs.folder / "a.md").write_text("x")

    assert hebbs(*arguments) == code
    assert hebbs.err.startswith("hebbs: ")
    assert not (hebbs.folder / ".hebbs").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("undo", "abcdef12"),
        ("undo", "--last"),
        ("inspect", "ffffffffffff"),
        ("inspect", "no-such.md:3"),
        ("contradiction-commit", "--verdicts", '[{"pending_id": "abcdef", "verdict": "dismiss"}]'),
        ("list", "/"),
        ("index", "/"),
    ],
)
def test_what_the_index_does_not_hold_is_named(hebbs, notes, arguments):
    hebbs("index", "notes")

    assert hebbs("--root", "notes", *arguments) == 2
    assert hebbs.err.startswith("hebbs: ")


def test_a_broken_configuration_stops_before_anything_is_made(hebbs, notes):
    (notes / "hebbs.toml").write_text("[watch]\nquite_ms = 1\n[contradiction]\nenabled = 3\n")

    assert hebbs("index", "notes") == 2
    assert "has 2 problems" in hebbs.err
    assert not (notes / ".hebbs").exists()


def test_a_folder_that_is_suddenly_empty_stops_the_run(hebbs, notes):
    hebbs("index", "notes")
    for path in notes.glob("*.md"):
        path.unlink()

    assert hebbs("index", "notes") == 7
    assert "--allow-empty" in hebbs.err
    assert hebbs("index", "notes", "--allow-empty") == 0
    assert hebbs.json("list") == []


def database(notes: Path) -> Path:
    (file,) = (notes / ".hebbs").glob("*.sqlite3")
    return file


def test_a_newer_schema_is_named_and_a_rebuild_is_the_way_back(hebbs, notes):
    hebbs("index", "notes")
    with sqlite3.connect(database(notes)) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()

    assert hebbs("status", "--root", "notes") == 6
    assert "newer" in hebbs.err
    assert hebbs("rebuild", "--root", "notes") == 0
    assert len(hebbs.json("list", "--root", "notes")) == 2


def test_a_damaged_database_is_named_and_a_rebuild_is_the_way_back(hebbs, notes):
    hebbs("index", "notes")
    (pair,) = hebbs.json("contradiction-prepare")
    verdicts = [{"pending_id": pair["pending_id"], "verdict": "dismiss"}]
    hebbs("contradiction-commit", "--verdicts", json.dumps(verdicts))
    for leftover in (notes / ".hebbs").glob("*.sqlite3-*"):
        leftover.unlink()
    database(notes).write_bytes(b"\xff" * 4096)

    assert hebbs("status", "--root", "notes") == 6
    assert "hebbs rebuild" in hebbs.err
    assert hebbs("rebuild", "--root", "notes") == 0
    assert hebbs("check", "--root", "notes") == 0  # the verdict came back from the journal


def test_a_rebuild_mends_damage_that_only_shows_after_opening(hebbs, notes):
    hebbs("index", "notes")
    whole = database(notes).read_bytes()
    pages = range(1, len(whole) // 4096)

    for page in [*pages[1::9], pages[-1]]:
        for leftover in (notes / ".hebbs").glob("*.sqlite3-*"):
            leftover.unlink()
        damaged = bytearray(whole)
        length = 4096 if page % 2 else 60  # all of it, or what opening it may not look at
        damaged[(page + 1) * 4096 - length : (page + 1) * 4096] = bytes(length)
        database(notes).write_bytes(damaged)

        assert hebbs("rebuild", "--root", "notes") == 0, f"page {page}: {hebbs.err}"
        assert hebbs("verify", "--root", "notes") == 0
        assert len(hebbs.json("contradiction-prepare", "--root", "notes")) == 1


def test_a_file_that_cannot_be_read_costs_only_itself(hebbs, notes):
    (notes / "odd.md").write_bytes(b"\x00\x01\x02" * 200)

    assert hebbs("index", "notes") == 3
    assert "problem: odd.md: " in hebbs.out
    assert "2 documents" in hebbs.out


def test_init_makes_an_index_that_later_commands_find(hebbs, notes, monkeypatch):
    assert hebbs("init", "notes") == 0
    monkeypatch.chdir(notes)

    assert hebbs("index") == 0
    assert hebbs("config", "get", "contradiction.candidates_k") == 0
    assert hebbs.out == "10\n"
    shutil.rmtree(notes / ".hebbs")
    assert hebbs("index") == 0
