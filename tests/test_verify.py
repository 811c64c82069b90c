"""Verification names every kind of damage; repair ends clean; no bit brings a traceback."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from store_samples import flag, save_flags, tree_bytes, verdict, write

from hebbs_index.errors import HebbsError, StoreDamaged
from hebbs_index.journal import Journal
from hebbs_index.records import Link
from hebbs_index.store import DATABASE, Store, VectorCache
from hebbs_index.store.repair import repair
from hebbs_index.store.verify import verify


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / ".hebbs") as opened:
        fill(opened)
        yield opened


def fill(store: Store) -> None:
    store.set_embedding_fingerprint("test")
    link = [Link("b.md", "", False, 0, 1)]
    write(store, "a.md", "One.", "Two.", "Three.", links=link, slots=["x"])
    write(store, "b.md", "Two.", "Four.")
    pair = flag(store, "One.", "Four.")
    save_flags(store, pair)
    journal = verdicts(store)
    journal.append([verdict(store, pair)])
    store.catch_up(journal)


def verdicts(store: Store) -> Journal:
    return Journal(store.directory / "verdicts.jsonl")


def look(store: Store) -> dict[str, str]:
    """Names and levels of what is not in order."""
    cache = VectorCache(store.directory, store, exact_limit=0)
    findings = verify(store, [verdicts(store)], cache=cache)
    return {finding.name: finding.level for finding in findings if finding.level != "ok"}


def mend(store: Store) -> list[str]:
    cache = VectorCache(store.directory, store, exact_limit=0)
    findings = verify(store, [verdicts(store)], cache=cache)
    return repair(store, findings, journals=[verdicts(store)], cache=cache)


def index_again(store: Store) -> None:
    """What the next run does: read what is not in the manifest."""
    known = store.manifest()
    link = [Link("b.md", "", False, 0, 1)]
    if "a.md" not in known:
        write(store, "a.md", "One.", "Two.", "Three.", links=link, slots=["x"])
    if "b.md" not in known:
        write(store, "b.md", "Two.", "Four.")
    from store_samples import vector

    store.add_vectors({item.text_hash: vector(item.embed_text) for item in store.unembedded()})
    save_flags(store, flag(store, "One.", "Four."))


def test_a_sound_index_has_nothing_to_say(store: Store) -> None:
    before = tree_bytes(store.directory)

    assert look(store) == {}
    assert mend(store) == []
    after = tree_bytes(store.directory)
    assert {name: after[name] for name in before if name.endswith("jsonl")} == {
        name: data for name, data in before.items() if name.endswith("jsonl")
    }


DAMAGES: dict[str, tuple[str, str]] = {
    "statement text": ("UPDATE statement SET text = 'Ons.' WHERE text = 'One.'", "statement keys"),
    "claims": ("UPDATE statement SET claims = '[]' WHERE text = 'One.'", "statement keys"),
    "proposition": ("UPDATE proposition SET text = 'x' WHERE ordinal = 1", "proposition ids"),
    "heading": ("UPDATE proposition SET heading_path = '[\"' WHERE ordinal = 1", "full text"),
    "lost text row": ("DELETE FROM proposition_text WHERE rowid = 1", "full text"),
    "stray text row": ("INSERT INTO proposition_text VALUES ('a', 'b', 'c')", "full text"),
    "vector": ("UPDATE vector SET data = zeroblob(32) WHERE id = 1", "vectors"),
    "short vector": ("UPDATE vector SET data = zeroblob(8) WHERE id = 1", "vectors"),
    "gone mark": ("UPDATE vector SET gone = 1 WHERE id = 1", "vector marks"),
    "lost file": ("DELETE FROM file WHERE path = 'a.md'", "manifest"),
    "other hash": ("UPDATE file SET content_hash = 'x' WHERE path = 'a.md'", "manifest"),
    "ruling": ("UPDATE ruling SET event_id = 'x'", "rulings"),
    "lost ruling": ("DELETE FROM ruling", "rulings"),
    "lost event": ("DELETE FROM event", "journal verdicts"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_each_damage_has_its_finding_and_is_mended(store: Store, name: str) -> None:
    good = store.dump_derived()
    sql, finding = DAMAGES[name]
    if name == "heading":
        store.database.run("DROP TRIGGER proposition_text_changed")
        finding = "proposition ids"
    store.database.run(sql)

    assert look(store)[finding] == "fault"
    assert mend(store)
    assert not any(level == "fault" for level in look(store).values())
    index_again(store)

    assert look(store) == {}
    assert store.dump_derived() == good


def test_broken_references_are_found_and_everything_is_derived_anew(store: Store) -> None:
    good = store.dump_derived()
    store.database.run("PRAGMA foreign_keys = OFF")
    store.database.run("DELETE FROM document WHERE path = 'a.md'")
    store.database.run("PRAGMA foreign_keys = ON")

    assert look(store)["references"] == "fault"
    mend(store)
    store.set_embedding_fingerprint("test")
    index_again(store)

    assert look(store) == {}
    assert store.dump_derived() == good


def test_a_statement_that_stands_nowhere_is_dropped(store: Store) -> None:
    good = store.dump_derived()
    store.database.run(
        "INSERT INTO statement (statement_key, declared_entity, content_hash, text, embed_text,"
        " text_hash, claims) SELECT 'k', '', content_hash, text, embed_text, text_hash, claims"
        " FROM statement WHERE id = 1"
    )

    assert look(store) == {"statements": "fault"}
    mend(store)
    index_again(store)

    assert store.dump_derived() == good


def test_a_damaged_journal_line_is_a_warning_with_its_number(store: Store) -> None:
    with verdicts(store).path.open("ab") as stream:
        stream.write(b"nonsense\n")

    findings = verify(store, [verdicts(store)])

    (warning,) = (finding for finding in findings if finding.level == "warning")
    assert "line 2" in warning.detail


def test_a_damaged_vector_file_is_a_warning_and_dropped(store: Store) -> None:
    VectorCache(store.directory, store, exact_limit=0, threads=1).fold_in()
    path = store.directory / "vectors.usearch"
    path.write_bytes(path.read_bytes()[:-1])

    assert look(store) == {"vector file": "warning"}
    assert mend(store) == ["dropped the vector file"]
    assert look(store) == {}


def test_statements_without_a_vector_are_a_note(store: Store) -> None:
    store.set_embedding_fingerprint("another")

    assert look(store) == {"vectors": "note"}


# ---------------------------------------------------------------- flipped bits

READINGS: list[Callable[[Store], object]] = [
    Store.manifest,
    Store.documents,
    Store.statements,
    Store.load_vectors,
    Store.flagged_pairs,
    Store.rulings,
    Store.counts,
    Store.edges_of,
    Store.dump_derived,
    lambda store: store.search_text("one two", 5),
    lambda store: store.memories_at("a.md"),
    lambda store: write(store, "a.md", "One.", "Five."),
    lambda store: verify(store),
]


def flipped(folder: Path, good: bytes, places: list[int], mask: int) -> list[str]:
    """Open and use a database with some bytes flipped; what was said of it."""
    folder.mkdir()
    data = bytearray(good)
    for place in places:
        data[place % len(data)] ^= mask
    (folder / DATABASE).write_bytes(bytes(data))
    said: list[str] = []
    try:
        with Store.open(folder) as store:
            for reading in READINGS:
                try:
                    reading(store)
                except HebbsError as error:
                    said.append(str(error))
    except HebbsError as error:
        said.append(str(error))
    return said


def sound_database(folder: Path) -> bytes:
    with Store.open(folder) as store:
        fill(store)
        store.database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    return (folder / DATABASE).read_bytes()


def test_no_flipped_byte_brings_a_traceback(tmp_path: Path) -> None:
    good = sound_database(tmp_path / "good")
    chosen = random.Random(11)
    used = [place for place, byte in enumerate(good) if byte]  # zeros are mostly free space
    header = list(range(0, 100, 9))

    said: list[str] = []
    for number, place in enumerate([*header, *chosen.sample(used, 60)]):
        said += flipped(tmp_path / str(number), good, [place], 0xFF)

    assert said, "some damage must have been noticed"


def test_pages_overwritten_are_damage_that_cannot_be_repaired(tmp_path: Path) -> None:
    good = sound_database(tmp_path / "good")
    folder = tmp_path / "bad"
    folder.mkdir()
    with Store.open(tmp_path / "good") as store:
        page = store.database.number("SELECT rootpage FROM sqlite_schema WHERE name = 'mention'")
    data = bytearray(good)
    data[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    (folder / DATABASE).write_bytes(bytes(data))

    with Store.open(folder) as store:
        findings = verify(store)
        assert [(f.name, f.level) for f in findings] == [("database", "fault")]
        assert "rebuild" in findings[0].hint
        with pytest.raises(StoreDamaged):
            repair(store, findings)


def test_a_truncated_database_is_damage(tmp_path: Path) -> None:
    good = sound_database(tmp_path / "good")
    for number, size in enumerate((10, 4096, 5000, len(good) // 2)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / DATABASE).write_bytes(good[:size])
        with pytest.raises(StoreDamaged), Store.open(folder) as store:
            store.dump_derived()


def test_a_removed_database_is_made_anew(tmp_path: Path) -> None:
    sound_database(tmp_path / "good")
    (tmp_path / "good" / DATABASE).write_bytes(b"broken" * 1000)

    Store.remove(tmp_path / "good")

    with Store.open(tmp_path / "good") as store:
        store.catch_up(verdicts(store))
        assert len(store.rulings()) == 1
        assert look(store) == {}
