"""`hebbs verify`: does the store agree with itself, its journals and its caches."""

from __future__ import annotations

from collections.abc import Iterator

import click

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session
from hebbs_index.errors import StoreDamaged
from hebbs_index.reports import VerifyReport


@hebbs_command("verify")
@click.option("--repair", is_flag=True, help="Mend what can be mended from files and journals.")
def command(session: Session, repair: bool) -> int:
    """Check bytes, references, full-text index and vectors of the store.

    Exit code 6 if a fault is left, else 0.

    \b
    Example:
      hebbs verify --repair
    """
    with session.open() as hebbs:
        report = hebbs.verify(repair=repair)
    session.emit(report, human=lambda: _lines(report))
    return 0 if report.healthy else StoreDamaged.exit_code


def _lines(report: VerifyReport) -> Iterator[str]:
    from hebbs_index.cli.render_reports import finding_lines

    yield from finding_lines(report.findings)
    yield from (f"repaired: {what}" for what in report.repaired)
    yield "the store is healthy" if report.healthy else "the store has faults"
