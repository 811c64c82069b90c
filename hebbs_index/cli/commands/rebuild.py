"""`hebbs rebuild`: throw the derived records away and make them anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.reporting import emit_update
from hebbs_index.cli.session import Session
from hebbs_index.errors import StoreDamaged, StoreNewer

if TYPE_CHECKING:
    from hebbs_index.index import Hebbs


@hebbs_command("rebuild")
def command(session: Session) -> int:
    """Make the whole index anew from the files and the journals.

    Ids, edges and verdicts come back the same. The files and the journals are only read. Also
    the way out when the database is damaged or was written by a newer version.

    \b
    Example:
      hebbs rebuild
    """
    from hebbs_index.cli.progress import progress_bar

    with _open(session) as hebbs, progress_bar(session) as progress:
        report = hebbs.rebuild(progress)
    return emit_update(session, report)


def _open(session: Session) -> Hebbs:
    """Open the index; a database that cannot be opened is thrown away, as all of it will be."""
    try:
        return session.open()
    except (StoreDamaged, StoreNewer) as error:
        session.say(f"{error}; it is made anew")
        return session.open(discard=True)
