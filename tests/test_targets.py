"""Names that people type are read as the shell means them, then as lists show them."""

from __future__ import annotations

import pytest
from doubles import open_small

from hebbs_index.errors import InputError
from hebbs_index.targets import memories_named, place_of


@pytest.fixture
def workspace(corpus, tmp_path, monkeypatch):
    corpus.write("notes/a.md", "The archive closes at noon.\n")
    corpus.write("b.md", "The keys hang beside the door.\n")
    corpus.write("notes/notes/deep.md", "The cellar is dry.\n")
    monkeypatch.chdir(tmp_path)
    with open_small(corpus.root) as hebbs:
        hebbs.index()
        yield hebbs._workspace


def test_an_absolute_path_is_taken_from_the_root(workspace):
    assert place_of(workspace, workspace.root / "notes" / "a.md") == "notes/a.md"
    assert place_of(workspace, workspace.root) == ""


def test_a_path_from_the_current_folder_comes_before_one_from_the_root(workspace, monkeypatch):
    monkeypatch.chdir(workspace.root / "notes")
    assert place_of(workspace, "notes") == "notes/notes"
    assert place_of(workspace, "../b.md") == "b.md"
    assert place_of(workspace, "b.md") == "b.md", "as lists show it"
    assert place_of(workspace, ".") == "notes"


def test_what_is_gone_from_the_disk_is_known_while_it_is_indexed(workspace, corpus):
    corpus.delete("notes/notes")
    assert place_of(workspace, "notes/notes") == "notes/notes"


@pytest.mark.parametrize("typed", ["nowhere.md", "notes/nowhere", "no\0te"])
def test_what_never_was_is_refused(workspace, typed):
    with pytest.raises(InputError, match="nothing is indexed from there"):
        place_of(workspace, typed)


@pytest.mark.parametrize("typed", ["..", "../elsewhere", "/etc"])
def test_what_lies_outside_is_refused(workspace, typed):
    with pytest.raises(InputError, match="not inside the indexed folder"):
        place_of(workspace, typed)


def test_ids_paths_and_lines_name_memories(workspace, monkeypatch):
    document, statement = memories_named(workspace, "notes/a.md")
    assert memories_named(workspace, statement.id) == [statement]
    assert memories_named(workspace, document.id[:12]) == [document]
    assert memories_named(workspace, "notes/a.md:1") == [statement]
    monkeypatch.chdir(workspace.root / "notes")
    assert memories_named(workspace, "a.md:1") == [statement]


@pytest.mark.parametrize("given", ["", " ", "the archive", "see notes/a.md:1", "12:30", "abc"])
def test_a_text_names_nothing(workspace, given):
    assert memories_named(workspace, given) == []


def test_a_file_that_could_not_be_used_says_why(corpus, workspace):
    corpus.write("binary.md", bytes(range(256)) * 20)
    with open_small(corpus.root) as hebbs:
        hebbs.index()
        with pytest.raises(InputError, match=r"binary\.md holds no document: "):
            hebbs.inspect("binary.md")
