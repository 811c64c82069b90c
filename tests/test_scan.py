"""Looking at the corpus: cheap, steady, and never taking blindness for absence."""

from __future__ import annotations

import os
import socket
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Corpus

from hebbs_index.errors import CorpusVanished, InputError
from hebbs_index.records import Indexed, Seen
from hebbs_index.watch import reading
from hebbs_index.watch.ignore import Ignore
from hebbs_index.watch.scan import Snapshot, narrow, read_file, scan, sketch

NOBODY = 65534
LATER = 10_000_000_000  # ten seconds, in nanoseconds


@contextmanager
def without_privileges(root: Path) -> Iterator[None]:
    """Be a user to whom permissions apply, even if the tests are run by the superuser."""
    if os.geteuid() != 0:
        yield
        return
    for path in (root, *root.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def look(root: Path, indexed: dict[str, Indexed] | None = None, **options: object) -> Snapshot:
    arguments = {"suffixes": {".md", ".txt"}, "max_file_bytes": 10_000, **options}
    return scan(root, Ignore(root), indexed or {}, **arguments)  # type: ignore[arg-type]


def as_indexed(seen: Seen, *, read_later_ns: int = LATER) -> Indexed:
    """A file as it stands in the manifest after an update that read it long enough ago."""
    return Indexed(
        path=seen.path,
        stat=seen.stat,
        content_hash=seen.content_hash or "",
        read_at_ns=max(seen.stat.mtime_ns, seen.stat.ctime_ns) + read_later_ns,
        sketch=seen.sketch,
        document_id="d",
        version="1",
    )


def remember(snapshot: Snapshot, **options: int) -> dict[str, Indexed]:
    return {path: as_indexed(seen, **options) for path, seen in snapshot.files.items()}


def fail_with(number: int):
    def failing(*_args: object, **_options: object) -> object:
        raise OSError(number, os.strerror(number))

    return failing


# ------------------------------------------------------------------ what is seen


def test_documents_are_found_at_every_depth_and_others_are_not(corpus):
    for name in ("a.md", "A.MD", "x/y/z/b.txt", "c.png", "noext", "d.md.bak"):
        corpus.write(name, "text")

    assert set(look(corpus.root).files) == {"a.md", "A.MD", "x/y/z/b.txt"}


def test_what_is_ignored_is_not_seen(corpus):
    corpus.write(".gitignore", "drafts/\n")
    for name in ("a.md", "drafts/b.md", ".hebbs/c.md", ".hidden/d.md", "e/.f.md"):
        corpus.write(name, "text")

    assert set(look(corpus.root).files) == {"a.md"}


def test_changed_ignore_rules_take_files_out_and_bring_them_back(corpus):
    corpus.write("drafts/a.md", "text")
    corpus.write("b.md", "text")
    corpus.write(".gitignore", "drafts/\n")
    assert set(look(corpus.root).files) == {"b.md"}

    corpus.write(".gitignore", "")

    assert set(look(corpus.root).files) == {"b.md", "drafts/a.md"}


@pytest.mark.parametrize(
    "name",
    ["two\nlines.md", "tab\t.md", " lead.md", "trail .md", "-rf.md", "it's \"q\"; DROP--.md",
     "a" * 252 + ".md", "%F0%9F%98%80.md", "😀.md", "100%_x.md", "*.md", "[b].md"],
)  # fmt: skip
def test_any_name_a_file_system_takes_is_seen_as_it_is(corpus, name):
    corpus.write(name, "text")

    assert set(look(corpus.root).files) == {name}


@pytest.mark.parametrize("name", ["caf\udce9.md", "caf\udce9/a.md"])
def test_a_name_that_is_no_text_is_a_problem(corpus, name):
    corpus.write(name, "text")

    snapshot = look(corpus.root)

    assert not snapshot.files
    assert [(p.path, "not UTF-8" in p.reason) for p in snapshot.skipped] == [
        ("caf\\udce9" + name[4:].removesuffix("/a.md"), True)
    ]
    assert not look(corpus.root, within=[name]).files


def test_two_spellings_of_one_name_are_two_files(corpus):
    for form in ("NFC", "NFD"):
        corpus.write(unicodedata.normalize(form, "é.md"), form)

    assert len(look(corpus.root).files) == 2


def test_links_are_not_followed_and_those_that_lose_something_say_why(corpus, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "o.md").write_text("secret")
    corpus.write("real/a.md", "text")
    for name, target in {
        "alias": "real", "loop": ".", "away": outside, "file.md": "real/a.md",
        "out.md": outside / "o.md", "zero.md": "/dev/zero", "broken.md": "nowhere",
    }.items():  # fmt: skip
        corpus.path(name).symlink_to(target)

    snapshot = look(corpus.root)

    assert set(snapshot.files) == {"real/a.md"}
    reasons = {problem.path: problem.reason for problem in snapshot.skipped}
    assert set(reasons) == {"out.md", "zero.md", "broken.md"}
    assert reasons["out.md"] == reasons["zero.md"] == "a link out of the root"
    assert reasons["broken.md"] == "a link to nothing"


def test_pipes_and_sockets_are_skipped_without_being_opened(corpus, monkeypatch):
    corpus.write("a.md", "text")
    os.mkfifo(corpus.path("pipe.md"))
    monkeypatch.chdir(corpus.root)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.md")
        snapshot = look(corpus.root)

    assert set(snapshot.files) == {"a.md"}
    assert [problem.reason for problem in snapshot.skipped] == [
        "not a regular file but a pipe",
        "not a regular file but a socket",
    ]


def test_a_file_over_the_limit_is_skipped_with_both_sizes(corpus):
    corpus.write("big.md", "x" * 20_000)
    corpus.write("fits.md", "x" * 10_000)

    snapshot = look(corpus.root)

    assert set(snapshot.files) == {"fits.md"}
    assert "too large: 0.0 MB, and the limit is 0.01 MB" in snapshot.skipped[0].reason


# ------------------------------------------------------------------ what is read


def test_an_unchanged_file_is_not_read_again(corpus):
    corpus.write("a.md", "text")
    first = look(corpus.root)
    indexed = remember(first)

    second = look(corpus.root, indexed)

    assert first.files["a.md"].read and not second.files["a.md"].read
    assert second.files["a.md"].content_hash == first.files["a.md"].content_hash
    assert second.files["a.md"].read_at_ns == indexed["a.md"].read_at_ns
    assert look(corpus.root, indexed, force=True).files["a.md"].read


@pytest.mark.parametrize("part", ["size", "mtime_ns", "ctime_ns", "inode"])
def test_any_difference_of_stat_makes_a_file_be_read(corpus, part):
    corpus.write("a.md", "text")
    indexed = remember(look(corpus.root))
    stat = indexed["a.md"].stat
    changed = {part: getattr(stat, part) + 1}
    indexed["a.md"] = replace(indexed["a.md"], stat=replace(stat, **changed))

    assert look(corpus.root, indexed).files["a.md"].read


def test_a_file_changed_shortly_before_it_was_read_is_read_again(corpus):
    corpus.write("a.md", "text")
    snapshot = look(corpus.root)

    soon = look(corpus.root, remember(snapshot, read_later_ns=1_999_000_000))
    later = look(corpus.root, remember(snapshot, read_later_ns=2_001_000_000))

    assert soon.files["a.md"].read and not later.files["a.md"].read


def test_a_change_that_restores_size_and_time_is_still_noticed(corpus):
    path = corpus.write("a.md", "limit 5")
    before = path.stat()
    indexed = remember(look(corpus.root))

    corpus.write("a.md", "limit 9")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert look(corpus.root, indexed).files["a.md"].content_hash != indexed["a.md"].content_hash


def test_a_time_of_modification_far_ahead_does_not_make_every_scan_read(corpus):
    path = corpus.write("a.md", "text")
    os.utime(path, (4e9, 4e9))
    indexed = remember(look(corpus.root))
    indexed["a.md"] = replace(indexed["a.md"], read_at_ns=path.stat().st_ctime_ns + LATER)

    assert not look(corpus.root, indexed).files["a.md"].read


def test_the_time_of_reading_comes_from_the_clock_passed_in(corpus):
    corpus.write("a.md", "text")

    read_at = look(corpus.root, now_ns=5_000_000_000_000).files["a.md"].read_at_ns

    assert 5_000_000_000_000 <= read_at < 5_060_000_000_000


def test_bytes_and_what_is_remembered_of_them_belong_together(corpus):
    corpus.write("a/b.md", b"\xff\x00 one\n\ntwo\n")

    data, seen = read_file(corpus.root, "a/b.md", max_bytes=100, now_ns=7)

    assert data == b"\xff\x00 one\n\ntwo\n"
    assert seen == replace(look(corpus.root).files["a/b.md"], read_at_ns=7)


@pytest.mark.parametrize(("name", "why"), [("big.md", "too large"), ("d.md", "folder")])
def test_a_file_that_cannot_be_read_whole_says_why(corpus, name, why):
    corpus.write("big.md", "x" * 200)
    corpus.path("d.md").mkdir()

    data, seen = read_file(corpus.root, name, max_bytes=100)

    assert data is None and seen.content_hash is None
    assert seen.problem is not None and why in seen.problem.reason


def test_a_file_that_is_gone_when_it_is_to_be_read_is_no_problem(corpus):
    data, seen = read_file(corpus.root, "gone.md", max_bytes=100)

    assert data is None and seen.content_hash is None and seen.problem is None


def test_a_file_that_changes_while_it_is_read_is_read_until_it_stands_still(corpus, monkeypatch):
    path = corpus.write("a.md", "one")
    real, writes = os.fstat, iter(["one two", "one two three"])

    def grow(descriptor: int) -> os.stat_result:
        result = real(descriptor)
        if text := next(writes, None):
            path.write_text(text)
        return result

    monkeypatch.setattr(reading.os, "fstat", grow)
    data, seen = read_file(corpus.root, "a.md", max_bytes=100)

    assert data == b"one two three" and seen.stat.size == 13


def test_a_file_that_never_stands_still_is_unreadable_not_half_read(corpus, monkeypatch):
    path = corpus.write("a.md", "x")
    real = os.fstat

    def grow(descriptor: int) -> os.stat_result:
        result = real(descriptor)
        with path.open("a") as file:
            file.write("x")
        return result

    monkeypatch.setattr(reading.os, "fstat", grow)
    seen = look(corpus.root).files["a.md"]

    assert seen.content_hash is None
    assert seen.problem is not None and "kept changing" in seen.problem.reason


def test_a_pipe_put_in_the_place_of_a_file_does_not_block(corpus, monkeypatch):
    path = corpus.write("a.md", "x")
    real = os.lstat

    def swap(name: str) -> os.stat_result:
        result = real(name)
        path.unlink()
        os.mkfifo(path)
        return result

    monkeypatch.setattr(reading.os, "lstat", swap)
    data, seen = read_file(corpus.root, "a.md", max_bytes=100)

    assert data is None and seen.problem is not None and "pipe" in seen.problem.reason


# ------------------------------------------------------------------ blindness


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions are not those of POSIX")
def test_an_unreadable_file_and_an_unlistable_folder_are_not_gone():
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(Path(folder) / "corpus")
        Path(folder).chmod(0o755)
        corpus.write("a.md", "text")
        corpus.write("priv/b.md", "text")
        indexed = remember(look(corpus.root))
        corpus.path("a.md").chmod(0)
        corpus.path("priv").chmod(0)
        with without_privileges(corpus.root):
            snapshot = look(corpus.root, indexed)

    assert set(snapshot.files) == {"a.md", "priv/b.md"}
    assert all(seen.content_hash is None for seen in snapshot.files.values())
    assert snapshot.unlistable == ("priv",)
    assert [problem.path for problem in snapshot.skipped] == ["priv"]


@pytest.mark.parametrize("number", [5, 13, 107, 116])  # EIO EACCES ENOTCONN ESTALE
def test_a_folder_that_cannot_be_listed_keeps_what_is_indexed_below_it(corpus, monkeypatch, number):
    for name in ("a.md", "p/b.md", "p/q/c.md", "pp/d.md"):
        corpus.write(name, "text")
    indexed = remember(look(corpus.root))
    real = os.scandir
    hidden = str(corpus.path("p"))
    monkeypatch.setattr(
        os, "scandir", lambda path: fail_with(number)() if path == hidden else real(path)
    )

    def lost(*within: str) -> set[str]:
        files = look(corpus.root, indexed, within=within).files
        return {path for path, seen in files.items() if seen.content_hash is None}

    assert lost() == lost("p") == {"p/b.md", "p/q/c.md"}
    assert lost("p/b.md", "a.md") == {"p/b.md"}
    assert lost("pp") == set()
    assert [problem.path for problem in look(corpus.root, indexed).skipped] == ["p"]


def test_a_file_that_fails_to_read_is_reported_with_the_reason_of_the_system(corpus, monkeypatch):
    corpus.write("a.md", "text")
    indexed = remember(look(corpus.root))
    corpus.write("a.md", "more text")
    monkeypatch.setattr(reading.os, "open", fail_with(35))

    seen = look(corpus.root, indexed).files["a.md"]

    assert seen.content_hash is None and seen.stat == indexed["a.md"].stat
    assert seen.problem is not None and seen.problem.reason == os.strerror(35)


def test_a_file_that_vanishes_between_listing_and_reading_is_simply_gone(corpus, monkeypatch):
    corpus.write("a.md", "text")
    monkeypatch.setattr(reading.os, "open", fail_with(2))

    snapshot = look(corpus.root)

    assert not snapshot.files and not snapshot.skipped


@pytest.mark.parametrize("within", [(), ("a.md",)])
def test_a_root_that_is_missing_or_no_folder_or_unreadable_stops_the_scan(
    corpus, monkeypatch, within
):
    with pytest.raises(CorpusVanished, match="missing"):
        look(corpus.path("nowhere"), within=within)
    with pytest.raises(CorpusVanished, match="no longer a folder"):
        look(corpus.write("file", "x"), within=within)
    monkeypatch.setattr(os, "scandir", fail_with(13))
    with pytest.raises(CorpusVanished, match="cannot be listed"):
        look(corpus.root, within=within)


def test_a_root_replaced_during_the_scan_stops_it(corpus, monkeypatch):
    corpus.write("a/b.md", "text")
    real = os.scandir

    def unmount(path: object) -> object:
        if str(path).endswith("/a"):
            corpus.root.rename(corpus.root.with_name("elsewhere"))
            corpus.root.mkdir()
        return real(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", unmount)

    with pytest.raises(CorpusVanished, match="replaced"):
        look(corpus.root)


# ------------------------------------------------------------------ narrowing


def test_a_narrowed_scan_sees_what_a_full_one_sees_there(corpus):
    for name in ("a.md", "x/b.md", "x/y/c.md", "x/.h/d.md", "z/e.md"):
        corpus.write(name, "text")

    def seen(*within: str) -> set[str]:
        return set(look(corpus.root, within=within).files)

    assert seen("x") == {"x/b.md", "x/y/c.md"}
    assert seen("x/", "./x/y/c.md", "a.md") == {"x/b.md", "x/y/c.md", "a.md"}
    assert seen("x/.h", "x/.h/d.md", "gone.md", "gone/f.md", "a.md/x") == set()
    assert seen("", "a.md") == seen() == {"a.md", "x/b.md", "x/y/c.md", "z/e.md"}


def test_a_narrowed_scan_does_not_go_through_a_link_or_an_ignored_folder(corpus, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("secret")
    corpus.path("link").symlink_to(outside)
    corpus.write("drafts/b.md", "text")
    corpus.write(".gitignore", "drafts/\n")

    assert not look(corpus.root, within=("link/a.md", "link", "drafts/b.md")).files


def test_paths_below_others_and_outside_are_tidied_away():
    assert narrow(("a/b", "a", "a/", "c//d/./e", "ab")) == ("a", "ab", "c/d/e")
    assert narrow(("a", ".")) == narrow(("",)) == ()


@pytest.mark.parametrize("outside", ["../x", "/etc", "..", "a/../../b"])
def test_a_path_out_of_the_root_is_refused_and_not_taken_for_the_whole(corpus, outside):
    with pytest.raises(InputError, match="not below the root"):
        look(corpus.root, within=(outside,))


def test_a_root_reached_by_a_link_is_scanned_as_its_target(corpus, tmp_path):
    corpus.write("a.md", "text")
    corpus.write(".gitignore", "b.md\n")
    corpus.write("b.md", "text")
    (tmp_path / "link").symlink_to(corpus.root)

    assert set(look(tmp_path / "link").files) == {"a.md"}


# ------------------------------------------------------------------ sketches


def test_a_sketch_is_small_stable_and_blind_to_indentation_and_order():
    assert sketch(b"") == sketch(b" \n\t\n") == ()
    assert sketch(b"one\ntwo\n") == sketch(b"  two\r\n\r\none")
    assert sketch(b"one") == (4410787071074104995,)
    large = sketch("\n".join(map(str, range(1000))).encode())
    assert len(large) == 32 and list(large) == sorted(large)
    assert all(0 <= value < 2**63 for value in large)
