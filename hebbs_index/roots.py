"""Find the folder that a command works on.

An explicit root (`--root`, then `HEBBS_ROOT`) wins. Else the nearest folder at or above
the path asked for that holds an index or a configuration; else the one index that lies one
level below. A path inside an indexed folder narrows a run and makes no second index.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hebbs_index.config import CONFIG_NAME, STATE_NAME
from hebbs_index.errors import InputError, NoIndex
from hebbs_index.watch.reading import reason

ROOT_VARIABLE = "HEBBS_ROOT"
# Any of these makes a state folder an index. A fresh clone has the verdicts alone; other
# tools keep folders of the same name, in home folders above all.
STATE_FILES = ("index.sqlite3", "verdicts.jsonl", "memory.jsonl")


@dataclass(frozen=True, slots=True)
class FoundRoot:
    """The root, what to narrow the run to (nothing: all of it), and what to tell the user.

    `config_file` is the nearest configuration at or above the root.
    """

    root: Path
    within: tuple[str, ...] = ()
    note: str | None = None
    config_file: Path | None = None


def find_root(
    path: Path | str | None = None,
    *,
    root: Path | str | None = None,
    env: Mapping[str, str] = os.environ,
    cwd: Path | None = None,
    create: bool = False,
) -> FoundRoot:
    """Find the root for a path the user gave, or for the current folder.

    With `create` a folder never seen before becomes a root itself. Raises InputError if a
    path cannot be used, NoIndex if there is no index or more than one it could be.
    """
    here = cwd or Path.cwd()
    target = None if path is None else _existing(here / path, str(path))
    explicit = root if root is not None else env.get(ROOT_VARIABLE)
    if explicit:
        name = "--root" if root is not None else ROOT_VARIABLE
        return _explicit(_folder(here / explicit, str(explicit), name), target, create)
    start = target or here
    above = root_above(start)
    if above is not None:
        return _found(above, target)
    if start.is_file():
        raise InputError(f"{path} is a file, not a folder, and no index holds it")
    below = () if create and target is not None else roots_below(start)
    if len(below) == 1:
        return _found(below[0], None, f"using the index in {below[0]}")
    if below:
        listed = "\n".join(f"  {folder}" for folder in below)
        raise NoIndex(
            f"{start} is in no index, and below it there are {len(below)}:\n{listed}",
            hint="Name one of them: give its path or --root.",
        )
    if create:
        return _found(_folder(start, str(start), "the path"), None)
    raise NoIndex(f"no index at {start} or above it")


def is_root(folder: Path) -> bool:
    """Whether a folder holds an index or a configuration."""
    state = folder / STATE_NAME
    try:
        return (folder / CONFIG_NAME).is_file() or any(
            (state / name).is_file() for name in STATE_FILES
        )
    except OSError:  # not ours to look into
        return False


def root_above(start: Path) -> Path | None:
    """The nearest root at or above a path."""
    return next((folder for folder in (start, *start.parents) if is_root(folder)), None)


def roots_below(folder: Path) -> tuple[Path, ...]:
    """The roots one level below a folder, by name."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return ()
    return tuple(folder / name for name in names if is_root(folder / name))


def _explicit(root: Path, target: Path | None, create: bool) -> FoundRoot:
    if target is not None and not target.is_relative_to(root):
        raise InputError(f"{target} is not inside the root {root}")
    if not create and not is_root(root):
        raise NoIndex(f"there is no index in {root}")
    return _found(root, target)


def _found(root: Path, target: Path | None, note: str | None = None) -> FoundRoot:
    within = () if target is None or target == root else (target.relative_to(root).as_posix(),)
    configs = (folder / CONFIG_NAME for folder in (root, *root.parents))
    config = next((file for file in configs if _is_file(file)), None)
    return FoundRoot(root, within, note, config)


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:
        return False


def _existing(path: Path, typed: str) -> Path:
    """The absolute path, links in it left as they are.

    A file that is gone may be asked about where its folder is indexed: it is to leave the
    index. Raises InputError if there is nothing, or no way to it.
    """
    full = Path(os.path.abspath(path))  # noqa: PTH100 - resolving would follow links
    try:
        full.stat()
    except FileNotFoundError:
        if root_above(full.parent) is not None and full.parent.is_dir():
            return full
        raise InputError(f"{typed} does not exist") from None
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise InputError(f"{typed} cannot be used: {why}") from error
    return full


def _folder(path: Path, typed: str, name: str) -> Path:
    folder = _existing(path, typed)
    if not folder.exists():
        raise InputError(f"{typed} does not exist")
    if not folder.is_dir():
        raise InputError(f"{typed} is a file, not a folder ({name} must be a folder)")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise InputError(f"{typed} cannot be read: permission denied")
    return folder
