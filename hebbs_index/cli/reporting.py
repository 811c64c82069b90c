"""What `index` and `rebuild` do with a report: print it, and give the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hebbs_index.cli.render import raw_pairs
from hebbs_index.cli.render_json import update_report
from hebbs_index.cli.render_reports import update_lines
from hebbs_index.cli.session import HUMAN, Session
from hebbs_index.errors import EXIT_PROBLEMS

if TYPE_CHECKING:
    from hebbs_index.reports import UpdateReport


def emit_update(session: Session, report: UpdateReport) -> int:
    """Print what a run did: 0, or 3 if a file had a problem."""
    session.emit(
        update_report(report),
        human=lambda: update_lines(report, quiet=session.quiet),
        raw=lambda: raw_pairs(report.new_pending),
    )
    if session.format == HUMAN and report.new_pending and not report.dry_run:
        session.say("\nTo rule on them: hebbs contradiction-commit --help")
    return EXIT_PROBLEMS if report.problems else 0
