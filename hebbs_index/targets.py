"""What people name on a command line: a memory id, a path, or `path:line`.

A path is taken as the shell means it, from the current folder, and if that names nothing
as lists show it, from the root. What looks like a name and names nothing is an
InputError with a sentence; it is never passed on as something else.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from hebbs_index.contradictions.review import below
from hebbs_index.errors import InputError
from hebbs_index.records import FileProblem
from hebbs_index.store import Memory
from hebbs_index.workspace import Workspace

_ID = re.compile(r"[0-9a-f]{6,32}")
_LINE = re.compile(r"(?P<path>.+):(?P<line>\d{1,9})")


def place_of(workspace: Workspace, typed: Path | str) -> str:
    """A path as the index knows it, POSIX and below the root; '' is the root itself.

    Raises InputError if it leads out of the root, or if there is nothing and never was.
    """
    places = list(dict.fromkeys(_readings(workspace.root, typed)))
    if not places:
        raise InputError(f"{typed} is not inside the indexed folder {workspace.root}")
    for place in places:
        if not place or os.path.lexists(workspace.root / place):
            return place
    for place in places:
        if _is_known(workspace, place):
            return place
    raise InputError(
        f"there is no {typed}, and nothing is indexed from there",
        hint="Give a path from the current folder, or as `hebbs list` shows it.",
    )


def _readings(root: Path, typed: Path | str) -> Iterator[str]:
    full = Path(os.path.abspath(typed))  # noqa: PTH100 - resolve() would follow links
    if full.is_relative_to(root):
        place = full.relative_to(root).as_posix()
        yield "" if place == "." else place
    shown = posixpath.normpath(Path(typed).as_posix())
    if not posixpath.isabs(shown) and shown.split("/", 1)[0] not in (".", ".."):
        yield shown


def _is_known(workspace: Workspace, place: str) -> bool:
    return any(below(path, (place,)) for path in workspace.store.manifest())


def memories_named(workspace: Workspace, given: str) -> list[Memory]:
    """What an id or its beginning, a path (the document first) or `path:line` names.

    Nothing if `given` is no such name. Raises InputError for an id that no memory has, a file
    that is not indexed, and a line on which no statement stands.
    """
    if _ID.fullmatch(given):
        found = workspace.store.memories_like(given)
        if not found:
            raise InputError(f"no memory has the id {given!r}", hint="Ids are in `hebbs inspect`.")
        return found
    memories = _document(workspace, given)
    if memories:
        return memories
    parts = _LINE.fullmatch(given)
    if parts is not None:
        return _on_line(workspace, parts["path"], int(parts["line"]))
    _refuse_file_name(workspace, given)
    return []


def _document(workspace: Workspace, typed: str) -> list[Memory]:
    if not typed.strip():
        return []
    for place in _readings(workspace.root, typed):
        found = workspace.store.memories_at(place)
        if found:
            return found
    return []


def _on_line(workspace: Workspace, typed: str, line: int) -> list[Memory]:
    document = _document(workspace, typed)
    if not document:
        _refuse_file_name(workspace, typed)
        return []
    path = document[0].source.path
    found = workspace.store.memories_at(path, line)
    if not found:
        raise InputError(
            f"no statement stands at {path}:{line}",
            hint=f"`hebbs inspect {path}` lists the statements of that file.",
        )
    return found


def _refuse_file_name(workspace: Workspace, typed: str) -> None:
    """Raise InputError if what names no document is the name of a file all the same."""
    problem = _problem_of(workspace, typed)
    if problem is not None:
        raise InputError(f"{problem.path} holds no document: {problem.reason}")
    from hebbs_index.layers.parse import FORMATS

    is_one_word = len(typed.split()) == 1
    if is_one_word and PurePosixPath(typed).suffix.lower() in FORMATS:
        raise InputError(
            f"no document is indexed from {typed}",
            hint="Paths are as `hebbs list` shows them, or start from the current folder.",
        )


def _problem_of(workspace: Workspace, typed: str) -> FileProblem | None:
    places = set(_readings(workspace.root, typed))
    return next((p for p in workspace.store.problems() if p.path in places), None)
