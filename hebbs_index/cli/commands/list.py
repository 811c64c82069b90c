"""`hebbs list`: the documents of the index."""

from __future__ import annotations

from pathlib import Path

import click

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session


@hebbs_command("list")
@click.argument("paths", nargs=-1)
def command(session: Session, paths: tuple[str, ...]) -> None:
    """List the indexed documents, all or those under PATHS.

    With --format raw only their paths are printed, one a line.

    \b
    Example:
      hebbs list docs
    """
    from hebbs_index.cli.render import listing_lines

    with session.open(Path(paths[0]) if paths else None) as hebbs:
        rows = hebbs.list_documents(paths)
    session.emit(
        rows,
        human=lambda: listing_lines(rows) if rows else ["no documents"],
        raw=lambda: (row.path for row in rows),
    )
