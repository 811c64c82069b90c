"""`hebbs rebuild`: throw the derived records away and make them anew."""

from __future__ import annotations

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.reporting import emit_update
from hebbs_index.cli.session import Session


@hebbs_command("rebuild")
def command(session: Session) -> int:
    """Make the whole index anew from the files and the journals.

    Ids, edges and verdicts come back the same. The files and the journals are only read.

    \b
    Example:
      hebbs rebuild
    """
    from hebbs_index.cli.progress import progress_bar

    with session.open() as hebbs, progress_bar(session) as progress:
        report = hebbs.rebuild(progress)
    return emit_update(session, report)
