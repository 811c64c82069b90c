"""Write files so that they are whole or not there, whenever the machine stops.

The only module that asks the system to put bytes on the disk. Folders are synced as
well where the system can: a new name is lost without it.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk; does nothing where folders cannot be opened."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows has no way to do this and no need for it
        return
    try:
        with suppress(OSError):  # some network file systems refuse
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes) -> None:
    """Give a file new content: a reader sees the old or the new one, never a part."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def append_file(path: Path, data: bytes) -> None:
    """Add bytes to the end of a file in one write and wait until the disk has them."""
    existed = path.exists()
    with path.open("ab", buffering=0) as stream:
        written = stream.write(data)
        while written < len(data):  # a signal or a full disk may cut a write short
            written += stream.write(data[written:])
        os.fsync(stream.fileno())
    if not existed:
        sync_folder(path.parent)
