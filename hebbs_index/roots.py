"""Which folder is meant: the root of an index, and what part of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hebbs_index.config import CONFIG_NAME, STATE_NAME
from hebbs_index.errors import InputError, NoIndex


@dataclass(frozen=True, slots=True)
class FoundRoot:
    """A root, the paths below it that were asked for (none: all), and a remark for the user."""

    root: Path
    within: tuple[str, ...] = ()
    note: str | None = None


def find_root(
    path: Path | str | None = None,
    *,
    root: Path | str | None = None,
    create: bool = False,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> FoundRoot:
    """Find the root: `root`, else HEBBS_ROOT, else walking up from `path` or the current folder.

    If that finds nothing, the one index that lies one level below is taken. With `create`
    a folder that no index covers becomes a root. Raises NoIndex, or InputError for a path
    that is missing, cannot be entered or is a file of no index.
    """
    here = cwd or Path.cwd()
    named = root or (os.environ if env is None else env).get("HEBBS_ROOT")
    target = None if path is None else _existing(here / path, path)
    if named:
        return _within(_folder(here / named, named), target)
    start = target or here
    above = _covering(start)
    if above is not None:
        return _within(above, target)
    if create:
        return FoundRoot(_folder(start, path or start))
    return _below(start if start.is_dir() else start.parent)


def _existing(full: Path, given: Path | str) -> Path:
    full = Path(os.path.abspath(full))
    try:
        full.stat()
    except FileNotFoundError as error:
        # A file that is gone may still be asked about: what was indexed of it is to go.
        if _covering(full.parent) is not None and full.parent.is_dir():
            return full
        raise InputError(f"{given}: no such file or folder") from error
    except OSError as error:
        raise InputError(f"{given}: {error.strerror}") from error
    return full


def _folder(full: Path, given: Path | str) -> Path:
    full = Path(os.path.abspath(full))
    if not full.exists():
        raise InputError(f"{given}: no such folder")
    if not full.is_dir():
        raise InputError(
            f"{given} is a file, not a folder",
            hint="Name the folder that holds your documents; a file can be named once it is indexed.",
        )
    if not os.access(full, os.R_OK | os.X_OK):
        raise InputError(f"{given}: no permission to look into this folder")
    return full


def is_root(folder: Path) -> bool:
    """Whether a folder holds an index or a configuration."""
    return (folder / STATE_NAME / "index.sqlite3").is_file() or (folder / CONFIG_NAME).is_file()


def _covering(start: Path) -> Path | None:
    for folder in (start, *start.parents):
        if is_root(folder):
            return folder
    return None


def _within(root: Path, target: Path | None) -> FoundRoot:
    if target is None or target == root:
        return FoundRoot(root)
    if not target.is_relative_to(root):
        raise InputError(f"{target} is not inside the indexed folder {root}")
    return FoundRoot(root, (target.relative_to(root).as_posix(),))


def _below(start: Path) -> FoundRoot:
    try:
        roots = sorted(child for child in start.iterdir() if child.is_dir() and is_root(child))
    except OSError:
        roots = []
    if len(roots) == 1:
        return FoundRoot(roots[0], note=f"using the index of {roots[0]}")
    if roots:
        names = "\n".join(f"  {root}" for root in roots)
        raise NoIndex(
            f"several indexes lie below {start}:\n{names}", hint="Name one with --root."
        )
    raise NoIndex(f"there is no index at or above {start}")
