"""Journals survive what happens to files, and their folds do not depend on order."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbs_index import ids
from hebbs_index.journal import (
    MOVE,
    START,
    UNDO,
    VERDICT,
    Births,
    Event,
    Journal,
    Position,
    fold_moves,
    fold_rulings,
    new_event,
    prepare_folder,
)


def side(text: str) -> dict[str, str]:
    return {"statement_key": text, "entity": "", "sentence_key": text, "content": text}


def ruling(pair: str, verdict: str = "dismiss", *, at: int = 1) -> Event:
    body = {
        "pair_key": pair,
        "verdict": verdict,
        "confidence": 1.0,
        "a": side("a"),
        "b": side("b"),
    }
    return new_event(VERDICT, body, author="me", time_us=at)


def undo(event: Event, *, at: int = 2) -> Event:
    return new_event(UNDO, {"undoes": event.id}, author="me", time_us=at)


def move(document: str, old: str, new: str, *, at: int) -> Event:
    body = {"document_id": document, "from": old, "to": new}
    return new_event(MOVE, body, author="me", time_us=at)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / ".hebbs" / "verdicts.jsonl")


def test_a_ruling_with_half_a_character_in_it_is_not_lost(journal: Journal) -> None:
    event = ruling("pair")
    event = new_event(
        VERDICT, {**event.body, "reasoning": "lone \ud800"}, author="\udcff", time_us=1
    )

    journal.append([event])

    assert journal.read().events == (event,)
    assert not journal.read().faults


def test_what_is_appended_is_read_back(journal: Journal) -> None:
    events = [ruling("one"), ruling("zwölf"), new_event("later", {"x": [1]}, author="", time_us=3)]
    journal.append(events[:1])
    journal.append(events[1:])

    reading = journal.read()

    assert list(reading.events) == events
    assert not reading.faults
    assert not reading.anew


def test_a_journal_that_does_not_exist_is_empty(journal: Journal) -> None:
    assert journal.read().events == ()
    assert journal.read().position == START


def test_reading_on_gives_only_what_is_new(journal: Journal) -> None:
    journal.append([ruling("one")])
    before = journal.read().position
    journal.append([ruling("two")])

    reading = journal.read(before)

    assert [event.body["pair_key"] for event in reading.events] == ["two"]
    assert not reading.anew
    assert journal.read(reading.position).events == ()


def test_ids_are_ulids_that_sort_by_time() -> None:
    early, late = ruling("a", at=1_000_000), ruling("a", at=2_000_000)

    assert len(early.id) == 26
    assert early.id < late.id


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_waits_until_it_is_completed(journal: Journal, cut: int) -> None:
    journal.append([ruling("one"), ruling("two")])
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole[:-cut])

    torn = journal.read()
    journal.path.write_bytes(whole)
    rest = journal.read(torn.position)

    got = [event.body["pair_key"] for event in (*torn.events, *rest.events)]
    assert got == ["one", "two"]
    assert not torn.faults
    assert not rest.anew


def test_an_append_ends_a_torn_line_which_spoils_only_itself(journal: Journal) -> None:
    journal.append([ruling("one"), ruling("two")])
    journal.path.write_bytes(journal.path.read_bytes()[:-20])

    journal.append([ruling("three")])

    reading = journal.read()
    assert [event.body["pair_key"] for event in reading.events] == ["one", "three"]
    assert [fault.line for fault in reading.faults] == [2]


def test_a_last_line_without_its_newline_counts_once(journal: Journal) -> None:
    journal.append([ruling("one")])
    journal.path.write_bytes(journal.path.read_bytes().rstrip())
    first = journal.read()

    journal.append([ruling("two")])
    second = journal.read(first.position)

    assert [event.body["pair_key"] for event in first.events] == ["one"]
    assert [event.body["pair_key"] for event in second.events] == ["two"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"<<<<<<< ours", "JSON"),
        (b"[1, 2]", "object"),
        (b'{"id": 3}', "id"),
        (b"\xff\xfe\x00", "JSON"),
        (b"[" * 100_000, "JSON"),
        (
            json.dumps(
                {
                    **{"id": "x", "time_us": 1, "author": "", "type": "verdict", "version": 1},
                    "body": {"pair_key": "p"},
                }
            ).encode(),
            "verdict",
        ),
        (
            json.dumps(
                {"id": "x", "time_us": 2**70, "author": "", "type": "z", "version": 1, "body": {}}
            ).encode(),
            "range",
        ),
        (
            json.dumps(
                {"id": "x", "time_us": True, "author": "", "type": "z", "version": 1, "body": {}}
            ).encode(),
            "time_us",
        ),
    ],
)
def test_a_damaged_line_is_named_and_passed_over(
    journal: Journal, line: bytes, reason: str
) -> None:
    journal.append([ruling("one")])
    with journal.path.open("ab") as stream:
        stream.write(line + b"\n")
    journal.append([ruling("two")])

    reading = journal.read()

    assert [event.body["pair_key"] for event in reading.events] == ["one", "two"]
    assert [fault.line for fault in reading.faults] == [2]
    assert reason in reading.faults[0].reason


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 255))
def test_no_flipped_byte_makes_reading_fail(
    tmp_path_factory: pytest.TempPathFactory, place: int, mask: int
) -> None:
    journal = Journal(tmp_path_factory.mktemp("flip") / "verdicts.jsonl")
    journal.append([ruling("one"), ruling("two"), ruling("three")])
    data = bytearray(journal.path.read_bytes())
    data[place % len(data)] ^= mask
    journal.path.write_bytes(bytes(data))

    reading = journal.read()

    assert len(reading.events) >= 1  # a lost newline spoils two lines, any other byte one
    fold_rulings(reading.events)


def test_an_event_that_occurs_twice_counts_once(journal: Journal) -> None:
    event = ruling("one")
    journal.append([event, event])

    reading = journal.read()

    assert reading.events == (event,)
    assert not reading.faults


def test_a_rewritten_journal_is_noticed_and_read_anew(journal: Journal) -> None:
    journal.append([ruling("one"), ruling("two")])
    before = journal.read().position
    lines = journal.path.read_bytes().splitlines(keepends=True)
    journal.path.write_bytes(lines[1] + lines[0])

    reading = journal.read(before)

    assert reading.anew
    assert len(reading.events) == 2


def test_a_truncated_journal_is_noticed(journal: Journal) -> None:
    journal.append([ruling("one")])

    reading = journal.read(Position(10_000, "0" * 64))

    assert reading.anew
    assert len(reading.events) == 1


def test_unknown_kinds_and_later_versions_are_kept_but_not_applied(journal: Journal) -> None:
    later = Event("Z" * 26, 5, "me", VERDICT, {"new": "shape"}, version=2)
    journal.append([later, new_event("insight", {}, author="me", time_us=1)])

    reading = journal.read()

    assert len(reading.events) == 2
    assert not reading.faults
    assert fold_rulings(reading.events) == {}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_two_clones_journals_merge_by_union(tmp_path: Path) -> None:
    def git(folder: Path, *arguments: str) -> None:
        settings = ["-c", "user.name=me", "-c", "user.email=me@example.org"]
        subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)

    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    git(one, "init", "-b", "main")
    Journal(one / ".hebbs" / "verdicts.jsonl").append([ruling("base")])
    (one / ".hebbs" / "index.sqlite3").write_bytes(b"derived")
    (one / ".hebbs" / "memory.jsonl").write_bytes(b"private")
    git(one, "add", ".")
    git(one, "commit", "-m", "base")
    git(tmp_path, "clone", str(one), str(two))
    for clone in (one, two):
        Journal(clone / ".hebbs" / "verdicts.jsonl").append([ruling(clone.name)])
        git(clone, "add", ".")
        git(clone, "commit", "-m", clone.name)
    git(two, "pull", "--no-rebase", "--no-edit", "origin", "main")

    merged = Journal(two / ".hebbs" / "verdicts.jsonl").read()

    assert {event.body["pair_key"] for event in merged.events} == {"base", "one", "two"}
    assert not merged.faults
    assert not (two / ".hebbs" / "index.sqlite3").exists()
    assert not (two / ".hebbs" / "memory.jsonl").exists()


def test_the_folder_hides_all_but_the_rulings_from_git(tmp_path: Path) -> None:
    prepare_folder(tmp_path / ".hebbs")
    (tmp_path / ".hebbs" / ".gitignore").write_text("mine\n")
    prepare_folder(tmp_path / ".hebbs")

    assert (tmp_path / ".hebbs" / ".gitignore").read_text() == "mine\n"
    assert "merge=union" in (tmp_path / ".hebbs" / ".gitattributes").read_text()


# ---------------------------------------------------------------- rulings


def test_the_last_ruling_by_time_is_in_force() -> None:
    old, new = ruling("p", "dismiss", at=1), ruling("p", "contradiction", at=2)

    assert fold_rulings([new, old]) == {"p": new}


def test_an_undo_brings_the_ruling_before_back() -> None:
    old, new = ruling("p", "dismiss", at=1), ruling("p", "contradiction", at=2)

    assert fold_rulings([old, new, undo(new, at=3)]) == {"p": old}
    assert fold_rulings([old, undo(old, at=3)]) == {}


def test_an_undo_can_be_undone() -> None:
    event = ruling("p")
    first = undo(event, at=2)

    assert fold_rulings([event, first, undo(first, at=3)]) == {"p": event}


def test_an_undo_holds_even_if_its_clock_was_behind() -> None:
    event = ruling("p", at=100)

    assert fold_rulings([event, undo(event, at=50)]) == {}


def test_circles_of_undos_end() -> None:
    one = Event("1" * 26, 1, "x", UNDO, {"undoes": "2" * 26})
    two = Event("2" * 26, 2, "x", UNDO, {"undoes": "1" * 26})

    fold_rulings([one, two, ruling("p")])


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_rulings_do_not_depend_on_the_order_of_lines(data: st.DataObject) -> None:
    events: list[Event] = []
    for at in range(1, data.draw(st.integers(1, 8)) + 1):
        if events and data.draw(st.booleans()):
            events.append(undo(data.draw(st.sampled_from(events)), at=at))
        else:
            events.append(ruling(data.draw(st.sampled_from("pq")), at=at))

    shuffled = data.draw(st.permutations(events))

    assert fold_rulings(shuffled) == fold_rulings(events)


# ---------------------------------------------------------------- moves


def test_a_path_without_moves_holds_the_document_born_there() -> None:
    assert Births().document_id_for("a.md") == ids.document_id("a.md", 0)


def test_a_moved_document_keeps_its_id_and_its_birthplace_gets_a_new_one() -> None:
    first = ids.document_id("a.md", 0)
    births = fold_moves([move(first, "a.md", "b.md", at=1)])

    assert births.document_id_for("b.md") == first
    assert births.document_id_for("a.md") == ids.document_id("a.md", 1)


def test_two_files_may_swap_in_one_batch_in_any_order() -> None:
    a, b = ids.document_id("a", 0), ids.document_id("b", 0)
    swap = [move(a, "a", "b", at=1), move(b, "b", "a", at=1)]

    for events in (swap, swap[::-1]):
        births = fold_moves(events)
        assert (births.document_id_for("a"), births.document_id_for("b")) == (b, a)


def test_a_document_that_moves_back_is_at_home_again() -> None:
    a = ids.document_id("a", 0)
    births = fold_moves([move(a, "a", "b", at=1), move(a, "b", "a", at=2)])

    assert births.document_id_for("a") == a
    assert births.document_id_for("b") == ids.document_id("b", 0)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), max_size=12))
def test_no_two_paths_ever_hold_the_same_document(steps: list[tuple[str, str]]) -> None:
    events: list[Event] = []
    for at, (old, new) in enumerate(steps, start=1):
        if old != new:
            document = fold_moves(events).document_id_for(old)
            events.append(move(document, old, new, at=at))
            assert fold_moves(events).document_id_for(new) == document

    births = fold_moves(events)

    assert len({births.document_id_for(path) for path in "abcd"}) == 4
