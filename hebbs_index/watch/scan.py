"""Look at the files as they are now, reading only those that may have changed.

A file is unchanged while size, modification time, change time and inode are; one that
changed within two seconds before its last read is read again, since a file system's clock
may be that coarse. Nothing outside the root is ever followed or read. What cannot be looked at
is unreadable, never gone.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat as modes
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hebbs_index.errors import CorpusVanished
from hebbs_index.records import FileProblem, FileStat, Indexed, Seen
from hebbs_index.watch.ignore import Ignore

RACY_NS = 2_000_000_000  # the coarsest clock of a file system in use: FAT's two seconds
SKETCH_LINES = 32
READ_TRIES = 3
MISSING = (errno.ENOENT, errno.ENOTDIR)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files below the root as a scan found them.

    `skipped` are files that could have been documents but are left out, with reasons.
    `unlisted` are folders that could not be looked into: what is indexed below them is
    neither seen nor gone. `within` is what the scan was narrowed to, empty for everything.
    """

    files: Mapping[str, Seen]
    skipped: tuple[FileProblem, ...] = ()
    unlisted: tuple[str, ...] = ()
    within: tuple[str, ...] = ()


@dataclass(slots=True)
class _Walk:
    root: Path
    ignore: Ignore
    suffixes: Collection[str]
    max_bytes: int
    found: dict[str, os.stat_result] = field(default_factory=dict)
    skipped: list[FileProblem] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)


def scan(
    root: Path,
    ignore: Ignore,
    indexed: Mapping[str, Indexed],
    *,
    suffixes: Collection[str],
    max_file_bytes: int,
    now_ns: int,
    within: Sequence[str] = (),
) -> Snapshot:
    """List the corpus (or what lies at `within`) and hash what may have changed.

    Raises CorpusVanished if the root is missing, no folder, or cannot be listed.
    """
    walk = _Walk(root, ignore, suffixes, max_file_bytes)
    _list_root(walk, within)
    files: dict[str, Seen] = {}
    for path, found in sorted(walk.found.items()):
        seen = _seen(root, path, _file_stat(found), indexed.get(path), max_file_bytes, now_ns)
        if seen is not None:
            files[path] = seen
    for path, row in indexed.items():
        if path not in walk.found and _is_below(path, walk.unlisted):
            files[path] = _hidden(row)
    return Snapshot(files, tuple(walk.skipped), tuple(walk.unlisted), tuple(within))


def _list_root(walk: _Walk, within: Sequence[str]) -> None:
    try:
        with os.scandir(walk.root):
            pass
    except NotADirectoryError as error:
        raise CorpusVanished(walk.root, "is not a folder") from error
    except FileNotFoundError as error:
        raise CorpusVanished(walk.root, "is not there") from error
    except OSError as error:
        raise CorpusVanished(walk.root, f"cannot be listed: {error.strerror}") from error
    for start in _starts(within):
        _list_start(walk, start)


def _starts(within: Sequence[str]) -> list[str]:
    """The places to look at, without those that lie below another."""
    places = sorted({place.strip("/") for place in within}) or [""]
    if "" in places or "." in places:
        return [""]
    kept: list[str] = []
    for place in places:
        if not any(place.startswith(f"{other}/") for other in kept):
            kept.append(place)
    return kept


def _list_start(walk: _Walk, start: str) -> None:
    if not start:
        _list_folder(walk, "")
        return
    if walk.ignore.explain(start) is not None or _through_link(walk.root, start):
        return
    try:
        found = os.lstat(walk.root / start)
    except OSError as error:
        if error.errno not in MISSING:
            walk.unlisted.append(start)
        return
    if modes.S_ISDIR(found.st_mode):
        if not walk.ignore.ignores(start, folder=True):
            _list_folder(walk, start)
    else:
        _note_file(walk, start, found)


def _through_link(root: Path, path: str) -> bool:
    """Whether a folder on the way is a link: what lies behind is found at its own place."""
    parts = path.split("/")
    return any((root / "/".join(parts[:end])).is_symlink() for end in range(1, len(parts)))


def _list_folder(walk: _Walk, folder: str) -> None:
    """Note all files below a folder; iterative, so that no depth is too deep."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(walk.root / here) as entries:
                waiting += _note_entries(walk, here, entries)
        except OSError as error:
            if error.errno not in MISSING:
                walk.unlisted.append(here)
                reason = f"the folder cannot be listed: {error.strerror}"
                walk.skipped.append(FileProblem(here, "read", reason))


def _note_entries(walk: _Walk, here: str, entries: Iterator[os.DirEntry[str]]) -> list[str]:
    folders: list[str] = []
    for entry in entries:
        path = f"{here}/{entry.name}" if here else entry.name
        if entry.is_dir(follow_symlinks=False):
            if not walk.ignore.ignores(path, folder=True):
                folders.append(path)
        elif os.path.splitext(entry.name)[1].lower() in walk.suffixes:
            try:
                _note_file(walk, path, entry.stat(follow_symlinks=False))
            except OSError:
                continue  # it went between listing and looking: the next scan knows
    return folders


def _note_file(walk: _Walk, path: str, found: os.stat_result) -> None:
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in walk.suffixes or walk.ignore.ignores(path, folder=False):
        return
    if modes.S_ISLNK(found.st_mode):
        target = _inside_target(walk.root, path)
        if target is None:
            walk.skipped.append(FileProblem(path, "read", "a link out of the folder, or to nothing"))
        return  # a link within the corpus is the same file twice: it is read at its own place
    if not modes.S_ISREG(found.st_mode):
        walk.skipped.append(FileProblem(path, "read", "not a regular file"))
    elif found.st_size > walk.max_bytes:
        size = f"{found.st_size / 1e6:.1f} MB, more than {walk.max_bytes / 1e6:g} MB"
        walk.skipped.append(FileProblem(path, "read", f"too large: {size} (corpus.max_file_mb)"))
    else:
        walk.found[path] = found


def _inside_target(root: Path, path: str) -> Path | None:
    try:
        target = (root / path).resolve(strict=True)
    except (OSError, RuntimeError):  # to nothing, or a circle
        return None
    return target if target.is_relative_to(root.resolve()) else None


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return any(not folder or path == folder or path.startswith(f"{folder}/") for folder in folders)


def _file_stat(found: os.stat_result) -> FileStat:
    return FileStat(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _hidden(row: Indexed) -> Seen:
    """A file in a folder that cannot be listed."""
    problem = FileProblem(row.path, "read", "its folder cannot be listed")
    return Seen(row.path, row.stat, None, row.read_at_ns, problem=problem)


def _seen(
    root: Path, path: str, now: FileStat, row: Indexed | None, max_bytes: int, now_ns: int
) -> Seen | None:
    """A file as it is now, read if it may have changed; None if it went meanwhile."""
    if row is not None and row.stat == now and row.content_hash and not _is_racy(row):
        return Seen(path, now, row.content_hash, row.read_at_ns, row.sketch)
    data, seen = read_file(root, path, max_bytes=max_bytes, now_ns=now_ns)
    if data is None and seen.problem is None:
        return None
    return seen


def _is_racy(row: Indexed) -> bool:
    return max(row.stat.mtime_ns, row.stat.ctime_ns) > row.read_at_ns - RACY_NS


def read_file(
    root: Path, path: str, *, max_bytes: int, now_ns: int | None = None
) -> tuple[bytes | None, Seen]:
    """Read a file whole and as it was at one moment, with what was seen of it.

    The bytes are None if it cannot be read (then `problem` says why) or is gone (then it
    has none).
    """
    full = root / path
    stamp = now_ns
    reason = "it keeps changing while it is read"
    before = FileStat(0, 0, 0, 0)
    for _try in range(READ_TRIES):
        stamp = now_ns if now_ns is not None else time.time_ns()
        try:
            data, before, after = _read_once(full, max_bytes)
        except OSError as error:
            if error.errno in MISSING:
                return None, Seen(path, before, None, stamp)
            reason = error.strerror or type(error).__name__
            break
        if before == after and len(data) == before.size:
            seen = Seen(path, before, _hash(data), stamp, _sketch(data), read=True)
            return data, seen
    problem = FileProblem(path, "read", reason)
    return None, Seen(path, before, None, stamp or 0, problem=problem, read=True)


def _read_once(full: Path, max_bytes: int) -> tuple[bytes, FileStat, FileStat]:
    """Read without following a link that took the file's place; a pipe is never waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(full, flags | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as stream:
        before = os.fstat(descriptor)
        if not modes.S_ISREG(before.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        data = stream.read(max_bytes + 1)
        return data, _file_stat(before), _file_stat(os.fstat(descriptor))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _sketch(data: bytes) -> tuple[int, ...]:
    """The smallest hashes of a file's lines (a bottom-k sketch, Broder 1997)."""
    lines = {line.strip() for line in data.splitlines()} - {b""}
    hashes = (
        int.from_bytes(hashlib.blake2b(line, digest_size=8).digest(), "big") for line in lines
    )
    return tuple(sorted(hashes)[:SKETCH_LINES])
