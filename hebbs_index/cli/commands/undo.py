"""`hebbs undo`: take a verdict back."""

from __future__ import annotations

from dataclasses import replace

import click

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session


@hebbs_command("undo")
@click.argument("pending_id", required=False)
@click.option("--last", is_flag=True, help="The newest verdict, whichever it is.")
@click.option("--author", envvar="HEBBS_AUTHOR", help="Who takes it back; kept with the undo.")
def command(session: Session, pending_id: str | None, last: bool, author: str | None) -> None:
    """Take back the verdict on PENDING_ID, or the last one.

    The pair is open again, or ruled as it was before if the verdict overruled another one. Ten
    digits of the id will do. The verdict stays in the journal as history.

    \b
    Example:
      hebbs undo --last
    """
    from hebbs_index.cli.render import ruling_lines

    if (pending_id is None) != last:
        raise click.UsageError("Say either a PENDING_ID or --last.")
    with session.open() as hebbs:
        ruling = hebbs.undo(pending_id, last=last, author=author)
    session.emit(ruling, human=lambda: ruling_lines([replace(ruling, state="taken back")]))
