"""The store: a file is in or out, nothing derived goes stale, no user text is syntax."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_samples import (
    analysis,
    born,
    claim,
    flag,
    proposition,
    save_flags,
    seen,
    statement_ids,
    vector,
    vectors_of,
    verdict,
    write,
)

from hebbs_index import ids
from hebbs_index.claims_json import claims_from_text, claims_to_text
from hebbs_index.errors import InputError, StoreDamaged
from hebbs_index.journal import MOVE, Journal, Position, new_event
from hebbs_index.records import Edge, EdgeKind, FileProblem, Link, MemoryKind
from hebbs_index.store import FlaggedPair, Store
from hebbs_index.store.fulltext import match_expression


class Died(Exception):
    """What the crash tests raise."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / ".hebbs") as opened:
        yield opened


def texts(store: Store, path: str) -> list[str]:
    return [m.content for m in store.memories_at(path) if m.kind is MemoryKind.PROPOSITION]


# ---------------------------------------------------------------- one file


def test_a_written_file_is_read_back_whole(store: Store) -> None:
    given = analysis("a.md", "One is here.", "Two is there.", title="A page")
    change = store.write_file(seen("a.md", "x"), given, born("a.md"), vectors_of(given))

    document, first, second = store.memories_at("a.md")

    assert change.added == (first.id, second.id)
    assert document.id == born("a.md")
    assert document.content == given.document.text
    assert first.content == "One is here."
    assert first.source.path == "a.md"
    assert (first.source.line_start, first.source.heading) == (1, ("Heading",))
    assert first.id == ids.proposition_id(born("a.md"), first.statement_key, 0)
    (row,) = store.documents()
    assert (row.title, row.propositions, row.problem) == ("A page", 2, None)


def test_the_manifest_says_what_was_seen(store: Store) -> None:
    there = seen("a.md", "x")
    store.write_file(there, analysis("a.md", "One."), born("a.md"))

    row = store.manifest()["a.md"]

    assert (row.stat, row.content_hash, row.sketch) == (
        there.stat,
        there.content_hash,
        there.sketch,
    )
    assert (row.document_id, row.version) == (born("a.md"), "v1")


def test_an_edit_keeps_what_stays_and_moves_lines(store: Store) -> None:
    write(store, "a.md", "One.", "Two.", "Three.")
    before = {m.content: m.id for m in store.memories_at("a.md")[1:]}

    change = write(store, "a.md", "Zero.", "Two.", "Three.")

    after = {m.content: m for m in store.memories_at("a.md")[1:]}
    assert change.kept == (before["Two."], before["Three."])
    assert change.removed == (before["One."],)
    assert after["Two."].id == before["Two."]
    assert texts(store, "a.md") == ["Zero.", "Two.", "Three."]


def test_equal_statements_of_a_file_are_told_apart_by_occurrence(store: Store) -> None:
    write(store, "a.md", "Same.", "Same.", "Same.")

    assert len({m.id for m in store.memories_at("a.md")[1:]}) == 3
    assert len(store.statements()) == 1
    change = write(store, "a.md", "Same.")
    assert len(change.removed) == 2


def test_a_statement_lives_as_long_as_one_proposition_has_it(store: Store) -> None:
    write(store, "a.md", "Shared.")
    write(store, "b.md", "Shared.")

    store.delete_file("a.md")
    assert [s.text for s in store.statements()] == ["Shared."]
    store.delete_file("b.md")

    assert store.statements() == []
    assert store.counts().propositions == 0


def test_other_claims_or_entities_make_another_statement(store: Store) -> None:
    write(store, "a.md", "Shared.")
    write(store, "b.md", proposition("Shared.", 1, title="Title", slots=["s"]))
    write(store, "c.md", proposition("Shared.", 1, title="Title", declared="Acme_Co"))
    write(store, "d.md", proposition("Shared.", 1, title="Title", declared="acme co"))

    found = store.statements()

    assert [s.declared_entity for s in found] == [None, None, "acme co"]
    assert len({s.statement_key for s in found}) == 1


def test_claims_come_back_equal() -> None:
    several = (claim("It is so.", "slot"), claim("Other", "x", "y"))

    assert claims_from_text(claims_to_text(several)) == several


def test_half_characters_do_no_harm(store: Store) -> None:
    given = analysis("a.md", "Broken \ud800 text.", title="T\udfff")

    store.write_file(seen("a.md", "x"), given, born("a.md"))

    assert store.counts().propositions == 1
    assert store.search_text("broken", 5)


# ---------------------------------------------------------------- problems, touches, moves


def test_an_unreadable_file_keeps_its_records_stat_and_hash(store: Store) -> None:
    write(store, "a.md", "One.")
    before = store.manifest()["a.md"]
    problem = FileProblem("a.md", "read", "permission denied")

    store.record_problem(seen("a.md", None, mtime=9), [problem])

    assert store.manifest()["a.md"] == before
    assert store.problems() == (problem,)
    assert texts(store, "a.md") == ["One."]


def test_a_file_never_read_is_known_without_a_hash(store: Store) -> None:
    problem = FileProblem("a.md", "read", "permission denied")

    store.record_problem(seen("a.md", None), [problem])

    assert store.manifest()["a.md"].content_hash == ""
    assert store.problems() == (problem,)


def test_a_file_that_is_no_text_any_more_can_lose_its_records(store: Store) -> None:
    write(store, "a.md", "One.")
    problem = FileProblem("a.md", "decode", "binary")

    store.record_problem(seen("a.md", "new"), [problem], version="v1", keep_records=False)

    assert store.counts().documents == 0
    assert store.manifest()["a.md"].content_hash == seen("a.md", "new").content_hash
    assert store.problems() == (problem,)


def test_a_touch_learns_the_stat_and_forgets_that_reading_failed(store: Store) -> None:
    front = FileProblem("a.md", "front matter", "no YAML")
    write(store, "a.md", "One.", problems=[front])
    store.record_problem(
        seen("a.md", None), [front, FileProblem("a.md", "read", "permission denied")]
    )

    store.touch([seen("a.md", "One.", mtime=7)])

    assert store.manifest()["a.md"].stat.mtime_ns == 7_000_000_000
    assert store.problems() == (front,)


def test_what_a_scan_left_out_is_noted_by_place(store: Store) -> None:
    big = FileProblem("docs/big.md", "read", "too large")
    odd = FileProblem("odd.md", "read", "a link out of the folder")
    store.replace_skipped([big, odd])

    store.replace_skipped([], within=["docs"])
    assert store.problems() == (odd,)
    store.replace_skipped([])
    assert store.problems() == ()


def test_a_moved_file_keeps_ids_and_statements(store: Store) -> None:
    write(store, "a.md", "One.", "Two.")
    before = [m.id for m in store.memories_at("a.md")]
    generation = store.generation()

    store.move_file("a.md", seen("sub/b.md", "One.\nTwo."))

    assert [m.id for m in store.memories_at("sub/b.md")] == before
    assert list(store.manifest()) == ["sub/b.md"]
    assert store.memories_at("a.md") == []
    assert store.generation() == generation


def test_two_files_can_swap(store: Store) -> None:
    write(store, "a.md", "One.")
    write(store, "b.md", "Two.")

    store.move_files({"a.md": seen("b.md", "One."), "b.md": seen("a.md", "Two.")})

    assert texts(store, "a.md") == ["Two."]
    assert {row.path: row.id for row in store.documents()} == {
        "a.md": born("b.md"),
        "b.md": born("a.md"),
    }


def test_a_file_moved_over_another_replaces_it(store: Store) -> None:
    write(store, "a.md", "One.")
    write(store, "b.md", "Two.")

    store.move_file("a.md", seen("b.md", "One."))

    assert texts(store, "b.md") == ["One."]
    assert store.counts().documents == 1
    assert [s.text for s in store.statements()] == ["One."]


def test_a_move_with_new_content_leaves_the_file_to_be_read(store: Store) -> None:
    write(store, "a.md", "One.")
    before = store.manifest()["a.md"].content_hash

    store.move_file("a.md", seen("b.md", "Other."))

    assert store.manifest()["b.md"].content_hash == before


def test_writing_a_document_at_another_path_moves_it(store: Store) -> None:
    write(store, "a.md", "One.")

    write(store, "b.md", "One.", "Two.", document=born("a.md"))

    assert list(store.manifest()) == ["b.md"]
    assert [row.id for row in store.documents()] == [born("a.md")]


def test_another_document_at_a_path_replaces_the_old_one(store: Store) -> None:
    write(store, "a.md", "One.")

    write(store, "a.md", "One.", document="other")

    assert [row.id for row in store.documents()] == ["other"]
    assert len(store.memories_at("a.md")) == 2


# ---------------------------------------------------------------- crashes


def prepare(store: Store) -> None:
    store.clear()
    write(store, "a.md", "One.", "Two.", slots=["s"])
    write(store, "b.md", "Two.", "Three.")
    save_flags(store, flag(store, "One.", "Three."))


OPERATIONS = {
    "write": lambda store: write(store, "a.md", "Two.", "Four.", title="New title"),
    "replace": lambda store: write(store, "a.md", "Four.", document="other"),
    "move": lambda store: store.move_files(
        {"a.md": seen("b.md", "One.\nTwo."), "b.md": seen("a.md", "Two.\nThree.")}
    ),
    "delete": lambda store: store.delete_file("a.md"),
    "problem": lambda store: store.record_problem(
        seen("a.md", "x"), [FileProblem("a.md", "decode", "no")], keep_records=False
    ),
    "touch": lambda store: store.touch([seen("a.md", "One.\nTwo.", mtime=9)]),
    "check": lambda store: save_flags(store, flag(store, "Two.", "Three.")),
    "verdict": lambda store: store.apply_events(
        [verdict(store, flag(store, "One.", "Three."))], "verdicts", Position(1, "h")
    ),
    "fingerprint": lambda store: store.set_embedding_fingerprint("another"),
}


def state_of(store: Store) -> object:
    plain = store.dump_derived()
    for item in plain["rulings"]:
        item[2] = "an event"
    return plain, store.manifest(), store.unchecked_statement_ids() == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_dying_at_any_step_leaves_the_old_or_the_new_state(tmp_path: Path, name: str) -> None:
    steps: list[str] = []
    with Store.open(tmp_path / "clean") as clean:
        prepare(clean)
        old = state_of(clean)
        clean.database.on_step = steps.append
        OPERATIONS[name](clean)
        clean.database.on_step = None
        new = state_of(clean)

    for step in steps:
        folder = tmp_path / step.replace(":", "-")
        with Store.open(folder) as store:
            prepare(store)
            die_at(store, step, OPERATIONS[name])
        with Store.open(folder) as again:
            wanted = new if step.endswith(":committed") else old
            assert state_of(again) == wanted, step


def die_at(store: Store, wanted: str, operation: Callable[[Store], object]) -> None:

    def hook(passed: str) -> None:
        if passed == wanted:
            raise Died

    store.database.on_step = hook
    with pytest.raises(Died):
        operation(store)
    store.database.on_step = None


def test_an_error_in_a_transaction_leaves_the_connection_usable(store: Store) -> None:
    with pytest.raises(Died), store.transaction():
        store.set_meta("x", 1)
        raise Died

    assert store.get_meta("x") is None
    store.set_meta("x", 2)
    assert store.get_meta("x") == 2


# ---------------------------------------------------------------- incremental equals fresh

PATHS = ["a.md", "b.md", "sub/c.md"]
SENTENCES = ["One is.", "Two is.", "Three is.", "Four is."]
actions = st.lists(
    st.one_of(
        st.tuples(
            st.just("write"),
            st.sampled_from(PATHS),
            st.lists(st.sampled_from(SENTENCES), max_size=4),
        ),
        st.tuples(st.just("delete"), st.sampled_from(PATHS), st.none()),
        st.tuples(st.just("move"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
        st.tuples(st.just("die"), st.sampled_from(PATHS), st.integers(0, 12)),
    ),
    max_size=10,
)


@settings(max_examples=40, deadline=None)
@given(actions)
def test_any_history_leaves_what_a_fresh_index_has(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, str, object]]
) -> None:
    folder = tmp_path_factory.mktemp("history")
    files: dict[str, tuple[list[str], str]] = {}  # path -> sentences, document id
    with Store.open(folder / "one") as store, Store.open(folder / "two") as fresh:
        for kind, path, what in history:
            apply_action(store, files, kind, path, what)
        for path, (sentences, document) in files.items():
            write_sentences(fresh, path, sentences, document)
        settle(store)
        settle(fresh)

        assert store.dump_derived() == fresh.dump_derived()


def apply_action(
    store: Store, files: dict[str, tuple[list[str], str]], kind: str, path: str, what: object
) -> None:
    if kind == "write" and isinstance(what, list):
        document = files[path][1] if path in files else born(path)
        if any(path != p and document == d for p, (_s, d) in files.items()):
            document = ids.document_id(path, 1 + len(files))
        files[path] = (what, document)
        write_sentences(store, path, what, document)
    elif kind == "delete" and path in files:
        del files[path]
        store.delete_file(path)
    elif kind == "move" and path in files and isinstance(what, str) and what != path:
        files[what] = files.pop(path)
        store.move_file(path, seen(what, "\n".join(files[what][0])))
    elif kind == "die" and path in files and isinstance(what, int):
        die_after(store, what)
        with suppress(Died):
            write_sentences(store, path, ["Never is."], files[path][1])
        store.database.on_step = None
        write_sentences(store, path, *files[path])


def die_after(store: Store, count: int) -> None:
    left = [count]

    def hook(_step: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Died

    store.database.on_step = hook


def write_sentences(store: Store, path: str, sentences: list[str], document: str) -> None:
    links = [Link("b.md", "", False, 0, 1), Link("c", "", True, 0, 1)]
    title = f"About {document[:4]}"
    write(store, path, *sentences, document=document, links=links, title=title, slots=["x"])


def settle(store: Store) -> None:
    """Check everything; two of the sentences are flagged wherever both have one statement."""
    found = [statement.text for statement in store.statements()]
    both = found.count("One is.") == found.count("Two is.") == 1
    save_flags(store, *([flag(store, "One is.", "Two is.")] if both else []))


# ---------------------------------------------------------------- the check


def test_a_check_of_an_old_generation_saves_nothing(store: Store) -> None:
    write(store, "a.md", "One.", "Two.")
    generation = store.generation()
    write(store, "b.md", "Three.")

    saved = store.save_check(generation, checked=list(statement_ids(store).values()))

    assert not saved
    assert len(store.unchecked_statement_ids()) == 3


def test_saving_a_check_replaces_only_the_pairs_of_touched_statements(store: Store) -> None:
    write(store, "a.md", "One.", "Two.", "Three.")
    numbers = statement_ids(store)
    save_flags(store, flag(store, "One.", "Two."), flag(store, "Two.", "Three."))

    store.save_check(
        store.generation(), touched=[numbers["One."]], pending=[flag(store, "One.", "Three.")]
    )

    keys = {pair.pair_key for pair in store.flagged_pairs(open_only=True)}
    assert keys == {
        flag(store, "Two.", "Three.").pair_key,
        flag(store, "One.", "Three.").pair_key,
    }


def test_a_pair_found_again_keeps_its_time(tmp_path: Path) -> None:
    now = [100]
    with Store.open(tmp_path / "s", clock=lambda: now[0]) as store:
        write(store, "a.md", "One.", "Two.")
        save_flags(store, flag(store, "One.", "Two."))
        now[0] = 200
        save_flags(store, flag(store, "One.", "Two.", score=0.6))

        (pair,) = store.flagged_pairs(open_only=True)

    assert (pair.found_us, pair.judgement.score) == (100, 0.6)


def test_a_pair_goes_with_either_statement(store: Store) -> None:
    write(store, "a.md", "One.")
    write(store, "b.md", "Two.")
    save_flags(store, flag(store, "One.", "Two."))

    write(store, "b.md", "Three.")

    assert store.flagged_pairs(open_only=True) == []


def test_equal_words_in_two_statements_make_one_entry(store: Store) -> None:
    write(store, "a.md", "One.")
    write(store, "b.md", "Two.")
    write(store, "c.md", "Two.", title="Elsewhere")
    by_id = {s.id: s for s in store.statements()}
    twos = [number for number, s in by_id.items() if s.text == "Two."]
    one = statement_ids(store)["One."]
    strong, weak = flag(store, "One.", "Two.", 0.6), flag(store, "One.", "Two.", 0.5)
    pairs = [
        FlaggedPair(p.pair_key, one, number, p.judgement, None)
        for p, number in zip((strong, weak), twos, strict=True)
    ]
    save_flags(store, *pairs)

    (shown,) = store.flagged_pairs(open_only=True)

    assert shown.judgement.score == 0.6
    assert len(store.pairs_of([one])) == 2


def test_slots_are_dirty_when_members_come_or_go(store: Store) -> None:
    write(store, "a.md", "One.", slots=["x"])
    write(store, "b.md", "Two.", slots=["x", "y"])
    assert [(s.name, s.size) for s in store.dirty_slots()] == [("x", 2), ("y", 1)]
    save_flags(store)
    assert store.dirty_slots() == []

    store.delete_file("b.md")

    assert [(s.name, s.checked_size, s.size) for s in store.dirty_slots()] == [
        ("x", 2, 1),
        ("y", 1, 0),
    ]
    save_flags(store)
    assert store.dirty_slots() == []
    assert store.slot_members(["x", "y"]) == {"x": [1], "y": []}


def test_other_settings_make_every_statement_and_slot_due_again(store: Store) -> None:
    write(store, "a.md", "One.", slots=["x"])
    save_flags(store)
    assert (store.dirty_slots(), store.unchecked_statement_ids()) == ([], [])

    store.reset_checks("other settings")

    assert [slot.name for slot in store.dirty_slots()] == ["x"]
    assert len(store.unchecked_statement_ids()) == 1
    assert store.check_settings() == "other settings"


def test_the_generation_moves_only_with_statements_and_vectors(store: Store) -> None:
    write(store, "a.md", "One.", "Two.")
    before = store.generation()

    write(store, "a.md", "Two.", "One.", links=[Link("b.md", "", False, 0, 1)])
    store.touch([seen("a.md", "x")])
    store.set_run({"seconds": 1})

    assert store.generation() == before
    write(store, "a.md", "Two.")
    assert store.generation() > before


# ---------------------------------------------------------------- vectors as rows


def test_equal_texts_share_a_vector_which_goes_with_the_last(store: Store) -> None:
    write(store, "a.md", "Shared.")
    write(store, "b.md", "Shared.")
    assert len(store.load_vectors()) == 1

    store.delete_file("a.md")
    assert len(store.load_vectors(gone=True)) == 0
    store.delete_file("b.md")

    assert len(store.load_vectors()) == 0
    assert len(store.load_vectors(gone=True)) == 1


def test_a_vector_whose_text_comes_back_is_live_again(store: Store) -> None:
    write(store, "a.md", "One.")
    before = store.load_vectors()
    store.delete_file("a.md")

    given = analysis("b.md", "One.")
    assert store.missing_vectors(vectors_of(given)) == set()
    store.write_file(seen("b.md"), given, born("b.md"))

    assert store.load_vectors().ids.tolist() == before.ids.tolist()
    assert len(store.load_vectors(gone=True)) == 0


def test_the_check_drops_gone_vectors_but_no_live_one(store: Store) -> None:
    write(store, "a.md", "One.", "Two.")
    live = [int(number) for number in store.load_vectors().ids]

    store.save_check(store.generation(), dropped=live)

    assert len(store.load_vectors()) == 2


def test_vectors_added_later_have_their_statements_checked_again(store: Store) -> None:
    given = analysis("a.md", "One.")
    store.write_file(seen("a.md"), given, born("a.md"))
    save_flags(store)
    (missing,) = store.unembedded()

    store.add_vectors({missing.text_hash: vector("One."), "nobody": vector("x")})

    assert store.unembedded() == []
    assert len(store.load_vectors()) == 1
    assert len(store.unchecked_statement_ids()) == 1
    assert store.statements()[0].vector_id is not None


def test_another_model_drops_all_vectors(store: Store) -> None:
    assert not store.set_embedding_fingerprint("one")
    write(store, "a.md", "One.")
    save_flags(store)

    assert store.set_embedding_fingerprint("two")

    assert len(store.load_vectors()) == 0
    assert len(store.unembedded()) == 1
    assert len(store.unchecked_statement_ids()) == 1
    assert not store.set_embedding_fingerprint("two")


def test_vectors_come_by_text_hash_with_their_floors(store: Store) -> None:
    write(store, "a.md", "One.", "Two.", "Three.")
    first = store.load_vectors()
    number = int(first.ids[1])

    store.save_check(store.generation(), floors={number: (5.0, "key")})

    vectors = store.load_vectors()
    assert list(vectors.text_hashes) == sorted(vectors.text_hashes)
    assert vectors.floors == (None, (5.0, "key"), None)
    assert vectors.data.shape == (3, 16)
    assert vectors.data[0].tobytes() in set(
        vectors_of(analysis("a.md", "One.", "Two.", "Three.")).values()
    )


# ---------------------------------------------------------------- edges


def edges(store: Store, kind: EdgeKind) -> set[tuple[str, str]]:
    return {(edge.source_id, edge.target_id) for edge in store.edges_of(kinds=[kind])}


def related(store: Store) -> set[frozenset[str]]:
    path = {row.id: row.path for row in store.documents()}
    return {frozenset((path[a], path[b])) for a, b in edges(store, EdgeKind.RELATED_TO)}


@pytest.mark.parametrize(
    ("source", "target", "wiki", "reached"),
    [
        ("a.md", "sub/guide.md", False, "sub/guide.md"),
        ("sub/x.md", "guide.md", False, "sub/guide.md"),
        ("sub/x.md", "../top.rst", False, "top.rst"),
        ("sub/x.md", "../top", False, "top.rst"),
        ("sub/x.md", "/top.rst", False, "top.rst"),
        ("a.md", "guide", True, "sub/guide.md"),
        ("a.md", "THE  guide book", True, "sub/guide.md"),
        ("a.md", "sub/guide", True, "sub/guide.md"),
        ("a.md", "https://example.org/top.rst", False, None),
        ("a.md", "mailto:me@example.org", False, None),
        ("a.md", "../../top.rst", False, None),
        ("a.md", "", False, None),
        ("a.md", "twice", True, None),
        ("a.md", "twice", False, None),
        ("a.md", "a.md", False, None),
        ("a.md", "nowhere.md", False, None),
    ],
)
def test_links_reach_documents(
    store: Store, source: str, target: str, wiki: bool, reached: str | None
) -> None:
    write(store, "sub/guide.md", "Guide.", title="The Guide Book")
    write(store, "top.rst", "Top.", title="Top")
    write(store, "twice.md", "T.", title="t1")
    write(store, "twice.txt", "T.", title="t2")
    write(store, source, "Here.", title="Source", links=[Link(target, "", wiki, 0, 1)])

    assert related(store) == ({frozenset((source, reached))} if reached else set())


def test_a_target_with_a_scheme_is_no_file_even_if_one_is_called_so(store: Store) -> None:
    write(store, "git+ssh:host.md", "Remote.")
    write(store, "a.md", "Here.", links=[Link("git+ssh:host.md", "", False, 0, 1)])

    assert related(store) == set()


def test_a_link_follows_what_happens_to_its_target(store: Store) -> None:
    link = [Link("b.md", "", False, 0, 1)]
    write(store, "a.md", "One.", links=link)
    assert related(store) == set()

    write(store, "b.md", "Two.", links=[Link("a.md", "", False, 0, 1)])
    assert related(store) == {frozenset(("a.md", "b.md"))}
    store.move_file("a.md", seen("sub/a.md", "One."))
    assert related(store) == set()
    store.move_file("sub/a.md", seen("a.md", "One."))
    assert related(store) == {frozenset(("a.md", "b.md"))}
    store.delete_file("b.md")

    assert related(store) == set()


def test_edges_of_a_memory_are_those_at_either_end(store: Store) -> None:
    write(store, "a.md", "One.", "Two.", "Three.")
    document, first, second, third = (m.id for m in store.memories_at("a.md"))

    assert edges(store, EdgeKind.PROPOSITION_OF) == {(p, document) for p in (first, second, third)}
    assert edges(store, EdgeKind.ENTITY_RELATION) == {(first, third)}
    assert {e.kind for e in store.edges_of([third])} == {
        EdgeKind.PROPOSITION_OF,
        EdgeKind.ENTITY_RELATION,
    }
    assert len(store.edges_of([document])) == 3
    note = {e.note for e in store.edges_of([first], [EdgeKind.ENTITY_RELATION])}
    assert note == {"is"}


# ---------------------------------------------------------------- rulings


def apply(store: Store, *events: object) -> None:
    store.apply_events(list(events), "verdicts", Position())  # type: ignore[arg-type]


def test_a_contradiction_joins_all_places_of_both_statements(store: Store) -> None:
    write(store, "a.md", "One.")
    write(store, "b.md", "One.")
    write(store, "c.md", "Two.")
    pair = flag(store, "One.", "Two.")
    save_flags(store, pair)

    apply(store, verdict(store, pair))

    found = store.edges_of(kinds=[EdgeKind.CONTRADICTS])
    assert len(found) == 2
    assert all(isinstance(edge, Edge) and edge.note == "because of contradiction" for edge in found)
    assert {e.confidence for e in found} == {0.9}
    assert store.flagged_pairs(open_only=True) == []
    assert [p.pair_key for p in store.flagged_pairs()] == [pair.pair_key]


@pytest.mark.parametrize(
    ("supersedes", "successor"), [(None, "Two."), ("b", "Two."), ("a", "One.")]
)
def test_a_revision_points_from_successor_to_predecessor(
    store: Store, supersedes: str | None, successor: str
) -> None:
    write(store, "a.md", "One.")
    write(store, "b.md", "Two.")
    pair = flag(store, "One.", "Two.")
    save_flags(store, pair)

    apply(store, verdict(store, pair, "revision", supersedes=supersedes))

    (edge,) = store.edges_of(kinds=[EdgeKind.REVISED_FROM])
    assert store.memories([edge.source_id])[edge.source_id].content == successor


def test_a_dismissed_pair_stays_dismissed_through_rename_and_reindex(store: Store) -> None:
    write(store, "a.md", "One.")
    write(store, "b.md", "Two.")
    pair = flag(store, "One.", "Two.")
    save_flags(store, pair)
    apply(store, verdict(store, pair, "dismiss"))

    store.delete_file("b.md")
    assert [r.state for r in store.rulings()] == ["history"]
    write(store, "elsewhere.md", "Zero.", "Two.")
    save_flags(store, flag(store, "One.", "Two."))

    assert store.flagged_pairs(open_only=True) == []
    assert store.edges_of(kinds=[EdgeKind.CONTRADICTS]) == []
    assert [r.state for r in store.rulings()] == ["ruled"]
    assert store.counts().rulings == {"dismiss": 1}


def test_a_changed_text_makes_the_ruling_history_and_the_pair_new(store: Store) -> None:
    write(store, "a.md", "One.")
    write(store, "b.md", "Two.")
    pair = flag(store, "One.", "Two.")
    save_flags(store, pair)
    apply(store, verdict(store, pair))

    write(store, "b.md", "Two indeed.")
    save_flags(store, flag(store, "One.", "Two indeed."))

    assert len(store.flagged_pairs(open_only=True)) == 1
    assert [r.state for r in store.rulings()] == ["history"]
    assert store.edges_of(kinds=[EdgeKind.CONTRADICTS]) == []
    assert store.counts().history_rulings == 1


def resplit(store: Store, *pieces: str) -> None:
    """The sentence of b.md is now split into other statements."""
    items = [
        proposition(text, n, sentence="the sentence", title="Title")
        for n, text in enumerate(pieces, start=1)
    ]
    write(store, "b.md", *items)


def test_a_ruling_follows_its_sentence_when_the_match_is_unique(store: Store) -> None:
    write(store, "a.md", "One.")
    resplit(store, "Two and three.")
    pair = flag(store, "One.", "Two and three.")
    save_flags(store, pair)
    apply(store, verdict(store, pair, "revision"))

    resplit(store, "Two.", "Three.")
    save_flags(store, flag(store, "One.", "Two."))

    (ruling,) = store.rulings()
    assert (ruling.state, ruling.followed) == ("ruled", True)
    assert ruling.pair_key == flag(store, "One.", "Two.").pair_key
    assert ruling.ruled_key == pair.pair_key
    assert store.flagged_pairs(open_only=True) == []
    (edge,) = store.edges_of(kinds=[EdgeKind.REVISED_FROM])
    assert store.memories([edge.source_id])[edge.source_id].content == "Two."
    assert ruling.pair_key in store.rulings_by_pair()


def test_a_ruling_without_a_unique_match_is_listed_as_unmatched(store: Store) -> None:
    write(store, "a.md", "One.")
    resplit(store, "Two and three.")
    pair = flag(store, "One.", "Two and three.")
    save_flags(store, pair)
    apply(store, verdict(store, pair))

    resplit(store, "Two.", "Three.")
    save_flags(store, flag(store, "One.", "Two."), flag(store, "One.", "Three."))

    assert [r.state for r in store.rulings()] == ["unmatched"]
    assert len(store.flagged_pairs(open_only=True)) == 2
    assert store.counts().unmatched_rulings == 1


def test_a_ruling_of_its_own_wins_over_one_that_would_follow(store: Store) -> None:
    write(store, "a.md", "One.")
    resplit(store, "Two and three.")
    old = flag(store, "One.", "Two and three.")
    save_flags(store, old)
    apply(store, verdict(store, old, "dismiss"))
    resplit(store, "Two.", "Three.")
    new = flag(store, "One.", "Two.")
    save_flags(store, new)

    apply(store, verdict(store, new, "contradiction", time_us=2000))

    states = {r.ruled_key: r.state for r in store.rulings()}
    assert states == {old.pair_key: "unmatched", new.pair_key: "ruled"}


def test_rulings_come_from_the_journal_whatever_happens_to_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / ".hebbs") as store:
        journal = Journal(tmp_path / ".hebbs" / "verdicts.jsonl")
        write(store, "a.md", "One.", "Two.", "Three.")
        first, second = flag(store, "One.", "Two."), flag(store, "Two.", "Three.")
        journal.append([verdict(store, first), verdict(store, second)])

        store.catch_up(journal)
        assert len(store.rulings()) == 2
        assert store.catch_up(journal).events == ()
        lines = journal.path.read_bytes().splitlines(keepends=True)
        journal.path.write_bytes(lines[1])
        reading = store.catch_up(journal)

        assert reading.anew
        assert [r.pair_key for r in store.rulings()] == [second.pair_key]
        assert len(store.events()) == 1


def test_events_applied_twice_or_in_another_order_change_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path / "one") as one, Store.open(tmp_path / "two") as two:
        for store in (one, two):
            write(store, "a.md", "One.", "Two.")
        pair = flag(one, "One.", "Two.")
        old = verdict(one, pair, "dismiss", time_us=1)
        new = verdict(one, pair, "contradiction", time_us=2)
        apply(one, old, new)
        apply(one, old, new)
        apply(two, new)
        apply(two, old)

        assert one.dump_derived() == two.dump_derived()
        assert str(one.rulings()[0].verdict) == "contradiction"


def test_events_are_listed_by_type_and_journal(store: Store) -> None:
    moved = new_event(MOVE, {"document_id": "d", "from": "a", "to": "b"}, author="", time_us=1)
    other = new_event("insight", {}, author="", time_us=2)
    store.apply_events([moved], "verdicts", Position())
    store.apply_events([other], "memory", Position())

    assert store.events(kinds=[MOVE]) == [moved]
    assert store.events(journal="memory") == [other]
    assert store.events() == [moved, other]


# ---------------------------------------------------------------- reading


def test_memories_are_found_by_id_prefix_path_and_line(store: Store) -> None:
    write(store, "a.md", "One.", "Two.")
    document, first, second = store.memories_at("a.md")

    assert store.memories([first.id, document.id, "unknown"]) == {
        first.id: first,
        document.id: document,
    }
    assert store.ids_starting_with(second.id[:8]) == [second.id]
    assert store.memories_like(second.id[:8]) == [second]
    assert [m.id for m in store.memories_at("a.md", 2)] == [second.id]
    assert store.has_document("a.md")
    assert not store.has_document("b.md")


def test_statements_within_a_folder_or_of_an_entity(store: Store) -> None:
    write(store, "docs/a.md", "One is.")
    write(store, "docs2/b.md", proposition("Two is.", 1, declared="Acme_Co"))
    numbers = statement_ids(store)

    assert store.statements_within(paths=["docs"]) == {numbers["One is."]}
    assert store.statements_within(paths=["docs/a.md", "docs2"]) == set(numbers.values())
    assert store.statements_within(entity="acme co") == {numbers["Two is."]}
    assert store.statements_within(entity="two") == {numbers["Two is."]}
    assert store.statements_within(paths=["."]) == set(numbers.values())


def test_entities_are_counted_and_named(store: Store) -> None:
    write(store, "a.md", "Redis is fast.", "Redis is small.")

    (entity,) = store.entities()

    assert (entity.key, entity.names, entity.mentions) == ("redis", ("Red",), 2)
    first = store.memories_at("a.md")[1].id
    assert store.entities_of([first]) == {first: ("redis",)}


def test_entities_come_most_mentioned_first(store: Store) -> None:
    write(store, "a.md", "Alpha is fast.", "Redis is small.", "Redis is fast.", "Beta is new.")

    assert [entity.key for entity in store.entities()] == ["redis", "alpha", "beta"]
    assert [entity.key for entity in store.entities(limit=1)] == ["redis"]


def test_full_text_finds_words_headings_and_titles_by_stem(store: Store) -> None:
    write(store, "a.md", "The servers were restarted.", title="Café operations")
    write(store, "b.md", "Nothing of note.", title="Other")
    target = store.memories_at("a.md")[1].id

    for query in ("restarting server", "cafe", "operation", "server nonsense"):
        assert [memory for memory, _rank in store.search_text(query, 5)] == [target], query
    both = store.search_text("heading servers", 5)
    assert both[0][0] == target
    assert len(both) == 2


def test_full_text_follows_edits_titles_and_deletions(store: Store) -> None:
    write(store, "a.md", "Alpha.", "Beta.", title="First")
    write(store, "a.md", "Beta.", "Gamma.", title="Second")

    assert store.search_text("alpha", 5) == []
    assert store.search_text("first", 5) == []
    assert len(store.search_text("second", 5)) == 2
    store.delete_file("a.md")
    assert store.search_text("gamma", 5) == []


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_no_query_is_ever_syntax(tmp_path_factory: pytest.TempPathFactory, query: str) -> None:
    with searched(tmp_path_factory) as store:
        store.search_text(query, 3)


def searched(factory: pytest.TempPathFactory) -> Store:
    folder = factory.getbasetemp() / "searched"
    store = Store.open(folder)
    if not store.has_document("a.md"):
        write(store, "a.md", "One near two.")
    return store


@pytest.mark.parametrize("query", ['"', "a AND", "NEAR(a b)", "text:one", "one*", "-one", "(", "'"])
def test_operators_are_words(store: Store, query: str) -> None:
    write(store, "a.md", "One near two and text.")

    store.search_text(query, 5)

    assert "*" not in match_expression(query)


def test_notes_and_run_info_are_kept(store: Store) -> None:
    assert store.run_info() == {}
    store.set_run({"seconds": 1.5})
    store.set_meta("settings", ["x"])

    assert store.run_info() == {"seconds": 1.5}
    assert store.get_meta("settings") == ["x"]


# ---------------------------------------------------------------- threads and processes


def test_every_thread_has_its_own_connection(store: Store) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for n in range(5):
                write(store, f"{number}.md", f"Statement {n} of {number}.")
                store.counts()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert store.counts().documents == 4


def test_a_reader_sees_the_old_state_during_a_long_write(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as writer, Store.open(tmp_path / "s") as reader:
        write(writer, "a.md", "One.")
        with writer.transaction():
            write(writer, "a.md", "Two.")
            assert texts(reader, "a.md") == ["One."]
        assert texts(reader, "a.md") == ["Two."]


def test_a_snapshot_sees_one_state(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as writer, Store.open(tmp_path / "s") as reader:
        write(writer, "a.md", "One.")
        with reader.snapshot():
            assert texts(reader, "a.md") == ["One."]
            write(writer, "a.md", "Two.")
            assert texts(reader, "a.md") == ["One."]
            with pytest.raises(RuntimeError):
                reader.set_meta("x", 1)


WRITER = """
    import sys
    from pathlib import Path
    sys.path.insert(0, {tests!r})
    from store_samples import write
    from hebbs_index.store import Store
    from hebbs_index.store.locks import WriteLock
    name, folder = sys.argv[1], Path(sys.argv[2])
    with Store.open(folder) as store:
        for n in range(20):
            with WriteLock(folder):
                write(store, f"{{name}}-{{n}}.md", f"Statement {{n}}.", f"Said by {{name}}.")
"""


def test_two_processes_write_one_index(tmp_path: Path) -> None:
    script = textwrap.dedent(WRITER).format(tests=str(Path(__file__).parent))
    command = [sys.executable, "-c", script]
    folder = str(tmp_path / "s")
    running = [subprocess.Popen([*command, name, folder]) for name in ("one", "two")]
    assert [process.wait(60) for process in running] == [0, 0]

    with Store.open(tmp_path / "s") as store:
        counts = store.counts()

    assert (counts.documents, counts.propositions, counts.statements) == (40, 80, 22)


def test_an_open_store_goes_on_when_the_database_is_replaced(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as one:
        write(one, "a.md", "One.")
        Store.remove(tmp_path / "s")
        with Store.open(tmp_path / "s") as two:
            write(two, "b.md", "Two.")

        assert [row.path for row in one.documents()] == ["b.md"]
        write(one, "c.md", "Three.")

    with Store.open(tmp_path / "s") as again:
        assert [row.path for row in again.documents()] == ["b.md", "c.md"]


def test_an_open_store_says_that_its_folder_is_gone_however_often_it_is_asked(
    tmp_path: Path,
) -> None:
    with Store.open(tmp_path / "s") as store:
        shutil.rmtree(tmp_path / "s")

        for _attempt in range(2):
            with pytest.raises(InputError, match="is gone"):
                store.documents()


def test_clear_forgets_everything_and_reuses_no_number(store: Store) -> None:
    write(store, "a.md", "One.", slots=["x"])
    before = (store.statements()[0].id, int(store.load_vectors().ids[0]), store.generation())

    store.clear()
    assert store.manifest() == {}
    assert store.dirty_slots() == []
    write(store, "a.md", "One.")

    assert store.statements()[0].id > before[0]
    assert int(store.load_vectors().ids[0]) > before[1]
    assert store.generation() > before[2]


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "s")
    store.close()
    store.close()

    with pytest.raises(RuntimeError, match="closed"):
        store.manifest()


def test_a_row_that_cannot_be_read_back_is_damage(store: Store) -> None:
    write(store, "a.md", "One.")
    store.database.run("UPDATE statement SET claims = '[{\"nonsense\": 1}]'")
    store.database.run("UPDATE file SET sketch = 'x'")

    with pytest.raises(StoreDamaged):
        store.statements()
    with pytest.raises(StoreDamaged):
        store.manifest()
