"""The facade: opening, narrowing, making everything anew from files and journals."""

from __future__ import annotations

import json

import pytest
from doubles import SubmittingEmbedder, open_small

import hebbs_index
from hebbs_index.config import load_config
from hebbs_index.errors import InputError, NoIndex, StoreDamaged
from hebbs_index.index import Hebbs, author_name
from hebbs_index.reports import ContradictionVerdictInput as Verdict

OLD = "The tenant budget is $5,000.\n"
NEW = "The tenant budget is $2,000.\n"


@pytest.fixture
def hebbs(corpus):
    corpus.write("a.md", OLD)
    corpus.write("notes/b.md", NEW)
    with open_small(corpus.root) as opened:
        opened.index()
        yield opened


# ---------------------------------------------------------------- opening


def test_a_folder_without_an_index_is_not_made_one_unasked(tmp_path):
    with pytest.raises(NoIndex):
        Hebbs.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_path_inside_an_index_opens_it_and_narrows_what_is_asked(corpus, hebbs):
    flags = {"language.enabled": False, "embedding.enabled": False}
    with Hebbs.open(corpus.path("notes"), overrides=flags) as narrowed:
        assert (narrowed.root, narrowed.within) == (corpus.root, ("notes",))
        assert [row.path for row in narrowed.list_documents()] == ["notes/b.md"]
        assert {hit.source.path for hit in narrowed.recall("tenant budget")} == {"notes/b.md"}
        assert len(narrowed.contradiction_prepare()) == 1
        corpus.write("c.md", "The archive closes at noon.\n")
        assert narrowed.index().plan.added == ()
        assert len(narrowed.list_documents([corpus.root])) == 2, "the root means all of it"
        assert narrowed.index([corpus.root]).plan.added == ("c.md",)


def test_an_override_wins_over_the_file_and_faults_are_told(corpus):
    corpus.write("hebbs.toml", "[recall]\nk = 3\n")
    with Hebbs.open(corpus.root, create=True) as hebbs:
        assert hebbs.config.recall.k == 3
    with Hebbs.open(corpus.root, overrides={"recall.k": 7}) as hebbs:
        assert hebbs.config.recall.k == 7
    with pytest.raises(InputError, match="recall"):
        Hebbs.open(corpus.root, overrides={"recall.kk": 7})


def test_a_journal_that_cannot_be_read_lets_go_of_the_database(corpus, hebbs, monkeypatch):
    closed = []
    monkeypatch.setattr("hebbs_index.store.Store.close", lambda _self: closed.append(1))

    def fail(_workspace: object) -> None:
        raise StoreDamaged("the journal")

    monkeypatch.setattr("hebbs_index.index.apply_journals", fail)
    with pytest.raises(StoreDamaged):
        Hebbs.open(corpus.root)
    assert closed == [1]
    monkeypatch.undo()


def test_closing_twice_is_harmless(corpus):
    hebbs = open_small(corpus.root)
    hebbs.close()
    hebbs.close()


def test_who_rules_is_named_by_the_variable_or_by_the_system(monkeypatch):
    monkeypatch.setenv("HEBBS_AUTHOR", "ann")
    assert author_name() == "ann"
    monkeypatch.delenv("HEBBS_AUTHOR")
    monkeypatch.setattr("getpass.getuser", lambda: "bob")
    assert author_name() == "bob"

    def nobody() -> str:
        raise KeyError("no such user")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert author_name() == "unknown"


def test_the_public_names_are_these_and_each_can_be_had():
    assert sorted(hebbs_index.__all__) == [
        "AsyncHebbs",
        "CommitResult",
        "Config",
        "ContradictionVerdictInput",
        "EdgeKind",
        "Hebbs",
        "HebbsError",
        "Label",
        "MemoryKind",
        "PendingContradiction",
        "UpdateReport",
        "VerdictKind",
        "__version__",
    ]
    assert all(getattr(hebbs_index, name) for name in hebbs_index.__all__)
    with pytest.raises(AttributeError, match="Nothing"):
        _ = hebbs_index.Nothing


# ---------------------------------------------------------------- anew


def everything(hebbs: Hebbs) -> dict[str, object]:
    return {
        "derived": hebbs._workspace.store.dump_derived(),
        "documents": hebbs.list_documents(),
        "views": hebbs.contradictions(),
        "memories": hebbs.inspect("a.md") + hebbs.inspect("kept/c.md"),
    }


@pytest.fixture
def lived_in(corpus, hebbs):
    """An index with a ruling, a move and a second document at a path left free."""
    (pair,) = hebbs.contradiction_prepare()
    hebbs.contradiction_commit([Verdict(pair.pending_id, "revision", 0.8, "newer")])
    corpus.rename("notes/b.md", "kept/c.md")
    hebbs.index()
    corpus.write("notes/b.md", "The archive closes at noon.\n")
    hebbs.index()
    return hebbs


def test_a_rebuild_brings_back_the_same_ids_edges_and_verdicts(lived_in):
    before = everything(lived_in)
    report = lived_in.rebuild()
    assert report.documents == 3
    assert everything(lived_in) == before


def test_with_files_and_journals_alone_another_machine_has_the_same(corpus, lived_in):
    before = everything(lived_in)
    lived_in.close()
    state = corpus.root / ".hebbs"
    for path in state.iterdir():
        if path.name != "verdicts.jsonl":
            path.unlink()
    with open_small(corpus.root) as anew:
        anew.index()
        assert everything(anew) == before


def test_a_damaged_database_is_named_and_can_be_thrown_away(corpus, lived_in):
    before = everything(lived_in)
    lived_in.close()
    database = corpus.root / ".hebbs" / "index.sqlite3"
    database.write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreDamaged, match=r"index\.sqlite3"):
        Hebbs.open(corpus.root)
    config = load_config(corpus.root, flags={"language.enabled": False})
    with Hebbs.open(corpus.root, discard=True, config=config) as anew:
        anew._workspace.models._embedder = SubmittingEmbedder()
        anew.index()
        assert everything(anew) == before


def test_a_rebuild_reads_files_and_journals_and_writes_to_neither(corpus, lived_in):
    def contents() -> dict[str, bytes]:
        paths = [path for path in corpus.root.rglob("*") if path.is_file()]
        kept = [p for p in paths if ".hebbs" not in p.parts or p.name == "verdicts.jsonl"]
        return {str(path): path.read_bytes() for path in kept}

    before = contents()
    lived_in.rebuild()
    assert contents() == before


def test_verify_finds_nothing_wrong_and_repairs_what_is(lived_in):
    assert lived_in.verify().healthy
    store = lived_in._workspace.store
    before = store.dump_derived()
    with store.transaction():
        store.database.run("UPDATE vector SET data = zeroblob(length(data))")
    report = lived_in.verify()
    assert not report.healthy
    assert lived_in.verify(repair=True).repaired
    lived_in.index()
    assert lived_in.verify().healthy
    assert store.dump_derived() == before


def test_doctor_has_a_finding_for_each_part(lived_in):
    findings = {finding.name: finding for finding in lived_in.doctor()}
    assert {"python", "sqlite", "language model", "embedding model", "folder", "watcher"} <= set(
        findings
    )
    assert findings["folder"].level == "ok"
    assert findings["watcher"].level == "note"
    lived_in._workspace.models._embedder.fingerprint = "another"
    assert "another model" in {f.name: f for f in lived_in.doctor()}["vectors"].detail


def test_the_last_run_is_remembered_with_its_counters(lived_in):
    last = lived_in.status().last_run
    assert last["files_seen"] == 3
    assert json.dumps(dict(last))
