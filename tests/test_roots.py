"""Which folder a command works on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hebbs_index import roots
from hebbs_index.errors import InputError, NoIndex
from hebbs_index.journal import MEMORY, VERDICTS
from hebbs_index.roots import FoundRoot, find_root
from hebbs_index.store.store import DATABASE


@pytest.fixture(autouse=True)
def nothing_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lies above the folder of a test is no index."""
    real = roots.is_root
    monkeypatch.setattr(roots, "is_root", lambda f: f.is_relative_to(tmp_path) and real(f))


def make_index(folder: Path, name: str = DATABASE) -> Path:
    (folder / ".hebbs").mkdir(parents=True)
    (folder / ".hebbs" / name).touch()
    return folder


def find(path: Path | str | None = None, **options: object) -> FoundRoot:
    return find_root(path, **{"env": {}, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [DATABASE, VERDICTS, MEMORY])
def test_an_index_is_found_from_any_depth_and_from_any_of_its_files(tmp_path, name):
    root = make_index(tmp_path / "notes", name)
    (root / "a" / "b").mkdir(parents=True)

    assert find(cwd=root / "a" / "b") == FoundRoot(root)
    assert find(cwd=root) == FoundRoot(root)


def test_a_configuration_makes_a_root_too_and_is_named(tmp_path):
    config = tmp_path / "hebbs.toml"
    config.touch()
    (tmp_path / "a").mkdir()

    assert find(cwd=tmp_path / "a") == FoundRoot(tmp_path, config_file=config)


def test_a_folder_of_another_tool_with_our_name_is_no_index(tmp_path):
    (tmp_path / ".hebbs" / "log").mkdir(parents=True)

    with pytest.raises(NoIndex):
        find(cwd=tmp_path)


def test_a_path_inside_an_index_narrows_and_makes_no_second_one(tmp_path):
    root = make_index(tmp_path / "notes")
    (root / "a").mkdir()
    (root / "a" / "b.md").touch()

    for create in (False, True):
        assert find("notes/a", cwd=tmp_path, create=create) == FoundRoot(root, ("a",))
        assert find(root / "a/b.md", cwd=tmp_path, create=create) == FoundRoot(root, ("a/b.md",))
        assert find("notes", cwd=tmp_path, create=create) == FoundRoot(root)
        assert find(cwd=root / "a", create=create) == FoundRoot(root)


def test_the_nearest_of_nested_roots_wins(tmp_path):
    make_index(tmp_path)
    inner = make_index(tmp_path / "a")
    (inner / "b").mkdir()

    assert find("a/b", cwd=tmp_path) == FoundRoot(inner, ("b",))


def test_an_explicit_root_wins_over_the_variable_and_that_over_walking_up(tmp_path):
    one, two, three = (make_index(tmp_path / name) for name in ("1", "2", "3"))
    env = {"HEBBS_ROOT": str(two)}

    assert find(cwd=three, root=one, env=env).root == one
    assert find(cwd=three, env=env).root == two
    assert find(cwd=three, env={"HEBBS_ROOT": ""}).root == three
    assert find("x", cwd=make_dir(one, "x").parent, root="../1", env=env) == FoundRoot(one, ("x",))


def make_dir(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def test_a_path_outside_an_explicit_root_is_refused(tmp_path):
    root = make_index(tmp_path / "notes")

    with pytest.raises(InputError, match="not inside the root"):
        find(make_dir(tmp_path, "other"), root=root)


def test_an_explicit_root_needs_an_index_unless_one_is_to_be_made(tmp_path):
    with pytest.raises(NoIndex):
        find(root=tmp_path)
    assert find(root=tmp_path, create=True) == FoundRoot(tmp_path)


def test_the_one_index_a_level_below_is_taken_with_a_note(tmp_path):
    root = make_index(tmp_path / "notes")
    make_dir(tmp_path, "other")

    found = find(cwd=tmp_path)

    assert found.root == root and found.within == ()
    assert found.note == f"using the index in {root}"
    assert find(cwd=tmp_path, create=True) == found


def test_several_indexes_a_level_below_are_listed(tmp_path):
    one, two = make_index(tmp_path / "a"), make_index(tmp_path / "b")

    with pytest.raises(NoIndex) as caught:
        find(cwd=tmp_path)

    assert str(one) in str(caught.value) and str(two) in str(caught.value)
    assert "--root" in caught.value.hint


def test_a_folder_never_seen_becomes_the_root_when_one_is_to_be_made(tmp_path):
    notes = make_dir(tmp_path, "notes")
    make_index(make_dir(notes, "old"))

    assert find("notes", cwd=tmp_path, create=True) == FoundRoot(notes)
    assert find(cwd=make_dir(tmp_path, "here"), create=True) == FoundRoot(tmp_path / "here")
    with pytest.raises(NoIndex, match="no index at"):
        find(cwd=tmp_path)


def test_a_file_in_no_index_cannot_become_a_root(tmp_path):
    (tmp_path / "a.md").touch()

    with pytest.raises(InputError, match=r"a\.md is a file, not a folder"):
        find("a.md", cwd=tmp_path, create=True)
    with pytest.raises(InputError, match="is a file, not a folder"):
        find(root=tmp_path / "a.md")


@pytest.mark.parametrize("path", ["nowhere", "a.md/b", "bad\0name"])
def test_a_path_that_cannot_be_used_is_named(tmp_path, path):
    (tmp_path / "a.md").touch()

    with pytest.raises(InputError, match=r"nowhere|a\.md/b|bad"):
        find(path, cwd=tmp_path, create=True)


def test_a_folder_that_may_not_be_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)

    with pytest.raises(InputError, match="permission denied"):
        find(tmp_path, create=True)


def test_a_file_that_is_gone_may_be_asked_about_where_its_folder_is_indexed(tmp_path):
    root = make_index(tmp_path / "notes")

    assert find("notes/gone.md", cwd=tmp_path) == FoundRoot(root, ("gone.md",))
    with pytest.raises(InputError, match="does not exist"):
        find("notes/gone/deep.md", cwd=tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        find(root="notes/gone", cwd=tmp_path)


def test_a_path_through_a_link_keeps_the_spelling_of_whoever_typed_it(tmp_path):
    root = make_index(tmp_path / "notes")
    make_dir(root, "a")
    (tmp_path / "link").symlink_to(root)

    assert find("link/../link/a", cwd=tmp_path) == FoundRoot(tmp_path / "link", ("a",))
