"""Read a file as one consistent version of itself, and nothing that is not a plain file.

A pipe, socket or device is never opened, a link never followed, and a file that changes
while it is read is read again. All calls that differ between systems stand here.
"""

from __future__ import annotations

import errno
import os
import stat

from hebbs_index.records import FileStat

ATTEMPTS = 4  # a save takes far less time than reading the file this often
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe put in the place of a file must not block
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
GONE = (FileNotFoundError, NotADirectoryError)


class Unsuitable(Exception):
    """The path names something that is no document: a link, a pipe, a file too large."""


class Unsteady(Exception):
    """The file changed during every attempt to read it."""


def file_stat(result: os.stat_result) -> FileStat:
    """The part of a stat result by which a changed file is recognised."""
    return FileStat(result.st_size, result.st_mtime_ns, result.st_ctime_ns, result.st_ino)


def is_same(known: FileStat, result: os.stat_result) -> bool:
    """Whether a stat result equals a remembered one."""
    return (
        known.mtime_ns == result.st_mtime_ns
        and known.size == result.st_size
        and known.ctime_ns == result.st_ctime_ns
        and known.inode == result.st_ino
    )


def check_suitable(result: os.stat_result, max_bytes: int) -> None:
    """Raise Unsuitable, with the reason, unless this is a plain file of acceptable size."""
    mode = result.st_mode
    if stat.S_ISLNK(mode):
        raise Unsuitable("a link; links are not followed")
    if not stat.S_ISREG(mode):
        raise Unsuitable(f"not a regular file but a {_kind(mode)}")
    if result.st_size > max_bytes:
        size, limit = result.st_size / 1e6, max_bytes / 1e6
        raise Unsuitable(f"too large: {size:,.1f} MB, and the limit is {limit:,g} MB")


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "pipe"
    if stat.S_ISSOCK(mode):
        return "socket"
    return "folder" if stat.S_ISDIR(mode) else "device"


def read_steady(path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a file and the stat that belongs to them.

    Raises OSError if it cannot be read, Unsuitable if it should not, Unsteady if it
    never stood still.
    """
    for _ in range(ATTEMPTS):
        check_suitable(os.lstat(path), max_bytes)
        before, data, after = _read_once(path, max_bytes)
        if is_same(file_stat(before), after) and len(data) == after.st_size:
            return data, after
    raise Unsteady(path)


def _read_once(path: str, max_bytes: int) -> tuple[os.stat_result, bytes, os.stat_result]:
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # it became a link or a socket just now
            raise Unsuitable("not a regular file") from error
        raise
    with os.fdopen(descriptor, "rb") as file:
        before = os.fstat(descriptor)
        check_suitable(before, max_bytes)
        # One byte more than expected shows that the file grew.
        return before, file.read(before.st_size + 1), os.fstat(descriptor)


def reason(error: OSError) -> str:
    """What the system says about a failure, without the path."""
    return error.strerror or type(error).__name__
