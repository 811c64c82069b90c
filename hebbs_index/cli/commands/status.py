"""`hebbs status`: what the index holds, what is off, who is watching."""

from __future__ import annotations

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session


@hebbs_command("status")
def command(session: Session) -> None:
    """Show what is indexed, what waits for a verdict, and what is switched off.

    \b
    Example:
      hebbs status --json
    """
    from hebbs_index.cli.render_reports import status_lines

    with session.open() as hebbs:
        status = hebbs.status()
    session.emit(status, human=lambda: status_lines(status))
