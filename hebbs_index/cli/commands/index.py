"""`hebbs index`: bring the index up to date with the files, and show what disagrees."""

from __future__ import annotations

from pathlib import Path

import click

from hebbs_index.cli.options import PATH, hebbs_command
from hebbs_index.cli.reporting import emit_update
from hebbs_index.cli.session import Session


@hebbs_command("index")
@click.argument("paths", nargs=-1, type=PATH)
@click.option("--dry-run", "-n", is_flag=True, help="Only say what would be done.")
@click.option(
    "--allow-empty", is_flag=True, help="Believe an empty folder: drop what was indexed from it."
)
def command(session: Session, paths: tuple[Path, ...], dry_run: bool, allow_empty: bool) -> int:
    """Read new and changed files under PATHS and compare what they say with the rest.

    A folder never seen before becomes an index; a path inside an index narrows the
    run. Without PATHS the whole index is brought up to date. Exit code 3 means that some
    file had a problem, 0 that none had.

    \b
    Example:
      hebbs index ./notes
    """
    from hebbs_index.cli.progress import progress_bar

    with (
        session.open(paths[0] if paths else None, create=bool(paths)) as hebbs,
        progress_bar(session) as progress,
    ):
        report = hebbs.index(paths, dry_run=dry_run, allow_empty=allow_empty, progress=progress)
    return emit_update(session, report)
