"""Look at the corpus as it is now.

`scan` walks the folders and gives a `Snapshot`: each document with its stat and content
hash. A file is read only if its stat differs from what the manifest remembers, or if it
was read so soon after a change that another could hide behind the same time.

What cannot be looked at is not gone: a file that cannot be read, and every indexed file
below a folder that cannot be listed, stay in the snapshot without a hash. A root that is
missing or cannot be listed raises CorpusVanished. Links are not followed, so that each
file is met once, under its own path, and none outside the root.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import stat
import time
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hebbs_index.errors import CorpusVanished, InputError
from hebbs_index.records import FileProblem, FileStat, Indexed, Seen
from hebbs_index.watch.ignore import Folder, Ignore
from hebbs_index.watch.reading import (
    GONE,
    Unsteady,
    Unsuitable,
    check_suitable,
    file_stat,
    is_same,
    read_steady,
    reason,
)

RACY_NS = 2_000_000_000  # two seconds: the coarsest clock of a file system in use (FAT)
SKETCH_SIZE = 32
UNSTEADY = "it kept changing while it was read"
_UNKNOWN = FileStat(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The corpus, or the part of it that was asked for, as a scan found it.

    `unlistable` are folders that could not be listed; `skipped` says of each of them, and
    of each file that is no document although its name is that of one, why.
    """

    root: Path
    files: Mapping[str, Seen]
    unlistable: tuple[str, ...] = ()
    skipped: tuple[FileProblem, ...] = ()
    within: tuple[str, ...] = ()


def scan(
    root: Path,
    ignore: Ignore,
    indexed: Mapping[str, Indexed],
    *,
    suffixes: Collection[str],
    max_file_bytes: int,
    within: Sequence[str] = (),
    now_ns: int | None = None,
    force: bool = False,
) -> Snapshot:
    """Look at every document below the root, or at those within some paths.

    `suffixes` are lower case with their dot. A path of `within` may be a file, a folder or
    something that is gone. `now_ns` is the time of the system's clock at the start. `force`
    reads every file. Raises CorpusVanished if the root is missing or cannot be listed.
    """
    narrowed = narrow(within)
    now = time.time_ns() if now_ns is None else now_ns
    before = _root_stat(root)
    walk = _Scan(root, ignore, indexed, frozenset(suffixes), max_file_bytes, now, force)
    if narrowed:
        walk.look_within(narrowed)
    else:
        walk.look_everywhere()
    after = _root_stat(root)
    if (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino):
        raise CorpusVanished(root, "the folder was replaced while it was read")
    skipped = sorted([*walk.skipped, *ignore.problems.values()], key=lambda problem: problem.path)
    unlistable = tuple(sorted(walk.unlistable))
    return Snapshot(root, walk.files, unlistable, tuple(skipped), narrowed)


def narrow(within: Sequence[str]) -> tuple[str, ...]:
    """Tidy paths a scan is narrowed to: none below another; empty for the whole root.

    Raises InputError for a path that leads out of the root.
    """
    kept: list[str] = []
    for path in sorted({posixpath.normpath(path) for path in within}):
        if path == ".":
            return ()
        if posixpath.isabs(path) or path.split("/", 1)[0] == "..":
            raise InputError(f"{path} is not below the root")
        if not (kept and is_within(path, kept)):
            kept.append(path)
    return tuple(kept)


def is_within(path: str, folders: Sequence[str]) -> bool:
    """Whether a path is one of some paths or below one of them."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def read_file(
    root: Path, path: str, *, max_bytes: int, now_ns: int | None = None
) -> tuple[bytes | None, Seen]:
    """Read a file whole, with what the manifest should remember of exactly these bytes.

    Without bytes, `problem` of the record says why; a file that is gone is no problem.
    """
    read_at = time.time_ns() if now_ns is None else now_ns
    try:
        return _read(f"{root}/{path}", path, max_bytes, read_at)
    except GONE:
        return None, Seen(path, _UNKNOWN, None, read_at)
    except OSError as error:
        return None, _unread(path, _UNKNOWN, read_at, reason(error))
    except Unsuitable as error:
        return None, _unread(path, _UNKNOWN, read_at, str(error))
    except Unsteady:
        return None, _unread(path, _UNKNOWN, read_at, UNSTEADY)


def _read(full: str, path: str, max_bytes: int, read_at_ns: int) -> tuple[bytes, Seen]:
    data, result = read_steady(full, max_bytes)
    content_hash = hashlib.sha256(data).hexdigest()
    return data, Seen(path, file_stat(result), content_hash, read_at_ns, sketch(data), read=True)


def sketch(data: bytes) -> tuple[int, ...]:
    """The smallest hashes of a file's lines, white space around them and empty ones left out.

    Two files share as many of them, by and large, as they share lines. Each has 63 bits.
    """
    lines = {line.strip() for line in data.splitlines()}
    lines.discard(b"")
    # The checksum picks the lines and gives their order; it is much cheaper than a hash,
    # which only tells apart the few that are kept.
    checksums = {line: zlib.crc32(line) for line in lines}
    kept = sorted(lines, key=lambda line: (checksums[line], line))[:SKETCH_SIZE]
    return tuple(sorted(checksums[line] << 31 | _short_hash(line) for line in kept))


def _short_hash(line: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(line, digest_size=4).digest(), "big") >> 1


def _unread(path: str, known: FileStat, read_at_ns: int, why: str) -> Seen:
    return Seen(path, known, None, read_at_ns, problem=FileProblem(path, "read", why))


def _root_stat(root: Path) -> os.stat_result:
    try:
        with os.scandir(root):
            return root.stat()
    except FileNotFoundError:
        raise CorpusVanished(root, "the folder is missing") from None
    except NotADirectoryError:
        raise CorpusVanished(root, "it is no longer a folder") from None
    except OSError as error:
        raise CorpusVanished(root, f"the folder cannot be listed: {reason(error)}") from error


class _Scan:
    """One walk and what it has found so far."""

    def __init__(
        self,
        root: Path,
        ignore: Ignore,
        indexed: Mapping[str, Indexed],
        suffixes: frozenset[str],
        max_file_bytes: int,
        now_ns: int,
        force: bool,
    ) -> None:
        self._root = root
        self._base = os.fspath(root)
        self._ignore = ignore
        self._indexed = indexed
        self._suffixes = suffixes
        self._max_bytes = max_file_bytes
        self._now_ns = now_ns
        self._started = time.monotonic_ns()
        self._force = force
        self.files: dict[str, Seen] = {}
        self.skipped: list[FileProblem] = []
        self.unlistable: list[str] = []

    # ------------------------------------------------------------------ walking

    def look_everywhere(self) -> None:
        entries = self._list("")
        if entries is None:
            raise CorpusVanished(self._root, "the folder cannot be listed")
        self._look_below(self._ignore.top({entry.name for entry in entries}), entries)

    def look_within(self, within: tuple[str, ...]) -> None:
        wanted: dict[str, set[str]] = {}
        for path in within:
            parent, _, name = path.rpartition("/")
            wanted.setdefault(parent, set()).add(name)
        for parent, names in wanted.items():
            folder = self._go_to(parent, names)
            entries = None if folder is None else self._list(parent, names)
            if folder is not None and entries is not None:
                self._look_below(folder, [entry for entry in entries if entry.name in names])

    def _go_to(self, path: str, names: set[str]) -> Folder | None:
        """The rules of a folder, unless it is gone, ignored, or reached by a link."""
        folder = self._ignore.top()
        for part in path.split("/") if path else ():
            if folder.why_not(part, is_folder=True) is not None:
                return None
            folder = folder.enter(part)
            try:
                mode = os.lstat(self._full(folder.path)).st_mode
            except GONE:
                return None
            except OSError as error:
                self._cannot_list(path, error, names)
                return None
            if not stat.S_ISDIR(mode):
                return None
        return folder

    def _look_below(self, top: Folder, entries: list[os.DirEntry[str]]) -> None:
        waiting = [(top, entries)]
        while waiting:
            folder, entries = waiting.pop()
            for name in self._look_at(folder, entries):
                inner = self._list(f"{folder.path}/{name}" if folder.path else name)
                if inner:
                    present = {entry.name for entry in inner}
                    waiting.append((folder.enter(name, present), inner))

    def _look_at(self, folder: Folder, entries: list[os.DirEntry[str]]) -> list[str]:
        """Look at the files of a folder; gives the names of its folders that are corpus."""
        folders: list[str] = []
        prefix = f"{folder.path}/" if folder.path else ""
        for entry in entries:
            name = entry.name
            if _is_folder(entry):
                if folder.why_not(name, is_folder=True) is None:
                    folders.append(name)
            elif self._may_be_document(name) and folder.why_not(name, is_folder=False) is None:
                self._look_at_file(prefix + name, entry)
        return [name for name in folders if self._is_spelled(prefix + name)]

    def _is_spelled(self, path: str) -> bool:
        """Whether a path can be written down: bytes that are no text have no place in an index."""
        try:
            path.encode()
        except UnicodeEncodeError:
            shown = path.encode("utf-8", "backslashreplace").decode()
            self.skipped.append(FileProblem(shown, "read", "its name is not UTF-8 text; rename it"))
            return False
        return True

    def _may_be_document(self, name: str) -> bool:
        return name[name.rfind(".") :].lower() in self._suffixes

    def _list(self, path: str, names: Collection[str] = ()) -> list[os.DirEntry[str]] | None:
        try:
            with os.scandir(self._full(path)) as entries:
                return list(entries)
        except GONE:  # since its own folder was listed
            return []
        except OSError as error:
            self._cannot_list(path, error, names)
            return None

    def _cannot_list(self, path: str, error: OSError, names: Collection[str]) -> None:
        """Keep what is indexed below a folder, or only the given names of it."""
        why = f"the folder cannot be listed: {reason(error)}"
        self.unlistable.append(path)
        self.skipped.append(FileProblem(path or ".", "read", why))
        below = [f"{path}/{name}" if path else name for name in names] or [path]
        for known in self._indexed.values():
            if is_within(known.path, below):
                self.files[known.path] = _unread(known.path, known.stat, known.read_at_ns, why)

    def _full(self, path: str) -> str:
        return f"{self._base}/{path}" if path else self._base

    # ------------------------------------------------------------------ files

    def _look_at_file(self, path: str, entry: os.DirEntry[str]) -> None:
        if not self._is_spelled(path):
            return
        known = self._indexed.get(path)
        try:
            result = entry.stat(follow_symlinks=False)
            check_suitable(result, self._max_bytes)
            if known is not None and not self._force and self._is_unchanged(known, result):
                self.files[path] = Seen(
                    path, known.stat, known.content_hash, known.read_at_ns, known.sketch
                )
            else:
                self.files[path] = self._read(path)
        except GONE:
            return
        except Unsuitable as unsuitable:
            why = self._why_skipped(path, unsuitable)
            if why:
                self.skipped.append(FileProblem(path, "read", why))
        except Unsteady:
            self._cannot_read(path, known, UNSTEADY)
        except OSError as error:
            self._cannot_read(path, known, reason(error))

    def _is_unchanged(self, known: Indexed, result: os.stat_result) -> bool:
        if not known.content_hash or not is_same(known.stat, result):
            return False
        # The time of the last change of the file's data or name is the system's own, the
        # time of modification may be anything its owner likes.
        since_change = known.read_at_ns - result.st_ctime_ns
        since_modified = known.read_at_ns - result.st_mtime_ns
        return since_change > RACY_NS and abs(since_modified) > RACY_NS

    def _read(self, path: str) -> Seen:
        read_at = self._now_ns + time.monotonic_ns() - self._started
        return _read(self._full(path), path, self._max_bytes, read_at)[1]

    def _cannot_read(self, path: str, known: Indexed | None, why: str) -> None:
        remembered = known.stat if known else _UNKNOWN
        self.files[path] = _unread(path, remembered, self._now_ns, why)

    def _why_skipped(self, path: str, unsuitable: Unsuitable) -> str | None:
        """Why a file is no document; None for a link to one that is met at its own place."""
        file = self._root / path
        if not file.is_symlink():
            return str(unsuitable)
        if not os.path.exists(file):  # noqa: PTH110 - Path raises where access is denied
            return "a link to nothing"
        if Path(os.path.realpath(file)).is_relative_to(os.path.realpath(self._root)):
            return None
        return "a link out of the root"


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:  # its stat, taken next, will say why
        return False
