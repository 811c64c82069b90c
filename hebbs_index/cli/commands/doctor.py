"""`hebbs doctor`: what is missing or wrong with the installation, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session
from hebbs_index.errors import EXIT_PROBLEMS, ModelUnavailable, StoreDamaged
from hebbs_index.reports import Finding

TROUBLE = ("warning", "fault")


@hebbs_command("doctor")
def command(session: Session) -> int:
    """Check models, libraries, the store and the watcher; say how to mend what is wrong.

    Exit code 8: a model that the configuration wants is missing or not the pinned one
    (switch it off with `enabled = false` and it is only a note). 6: the store has
    a fault. 3: another fault. Warnings about anything else leave it at 0.

    \b
    Example:
      hebbs doctor
    """
    from hebbs_index.cli.render_reports import finding_lines

    with session.open() as hebbs:
        findings = hebbs.doctor()
    session.emit(findings, human=lambda: finding_lines(findings))
    return exit_code(findings)


def exit_code(findings: Sequence[Finding]) -> int:
    """The code for the worst finding: a wanted model, then the store, then the rest."""
    if any("model" in finding.name and finding.level in TROUBLE for finding in findings):
        return ModelUnavailable.exit_code
    faults = [finding.name for finding in findings if finding.level == "fault"]
    if any(word in name for name in faults for word in ("store", "database", "journal", "vector")):
        return StoreDamaged.exit_code
    return EXIT_PROBLEMS if faults else 0
