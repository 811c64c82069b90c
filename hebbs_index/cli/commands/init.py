"""`hebbs init`: make a folder an index, with a `hebbs.toml` that explains every setting."""

from __future__ import annotations

import os
from pathlib import Path

import click

from hebbs_index.cli.options import PATH, hebbs_command
from hebbs_index.cli.paths import require_folder
from hebbs_index.cli.session import Session
from hebbs_index.config import CONFIG_NAME, STATE_NAME
from hebbs_index.config_template import commented_config
from hebbs_index.errors import NoIndex
from hebbs_index.roots import find_root


@hebbs_command("init")
@click.argument("path", required=False, type=PATH)
def command(session: Session, path: Path | None) -> None:
    """Make PATH (or this folder) an index, with a commented hebbs.toml.

    Not needed before `index` or `watch`. An existing file or index is left as it is.

    \b
    Example:
      hebbs init ./notes
    """
    folder = require_folder(path or session.root or Path())
    above = _index_above(folder)
    if above is not None and session.root is None:
        session.print(f"{folder} is already part of the index at {above}")
        return
    made = [CONFIG_NAME] if _write_config(folder) else []
    if not (folder / STATE_NAME).is_dir():
        made.append(f"{STATE_NAME}/")
    session.root = folder
    session.open(folder, create=True).close()
    answer = {"root": str(folder.absolute()), "created": made}
    session.emit(answer, human=lambda: [_sentence(folder, made)])


def _index_above(folder: Path) -> Path | None:
    """The index that covers a folder without being the folder's own."""
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - a link stays what was typed
    try:
        root = find_root(folder, env={}).root
    except NoIndex:
        return None
    return root if root != folder and folder.is_relative_to(root) else None


def _write_config(folder: Path) -> bool:
    """Write the commented settings unless there is such a file; never overwrites one."""
    try:
        with (folder / CONFIG_NAME).open("x", encoding="utf-8", newline="\n") as file:
            file.write(commented_config())
    except FileExistsError:
        return False
    return True


def _sentence(folder: Path, made: list[str]) -> str:
    shown = os.fspath(folder)
    if not made:
        return f"{shown} is an index already; nothing was changed"
    return f"{shown}: made {' and '.join(made)}; fill it with: hebbs index {shown}"
