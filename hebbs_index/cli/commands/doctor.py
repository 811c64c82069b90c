"""`hebbs doctor`: what is missing or wrong with the installation, and what to do."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session
from hebbs_index.errors import EXIT_PROBLEMS, ModelUnavailable, NoIndex, StoreDamaged
from hebbs_index.reports import Finding

OF_AN_INDEX = ("vectors", "folder", "watcher", "file")
TROUBLE = ("warning", "fault")


@hebbs_command("doctor")
def command(session: Session) -> int:
    """Check models, libraries, the store and the watcher; say how to mend what is wrong.

    Exit code 8: a model that the configuration wants is missing or not the pinned one
    (switch it off with `enabled = false` and it is only a note). 6: the store has
    a fault. 3: another fault. Warnings about anything else leave it at 0. Where there is no
    index only the machine is looked at.

    \b
    Example:
      hebbs doctor
    """
    from hebbs_index.cli.render_reports import finding_lines

    try:
        with session.open() as hebbs:
            findings = hebbs.doctor()
    except NoIndex as error:
        findings = (*_machine(session), Finding("index", "note", str(error), error.hint))
    session.emit(findings, human=lambda: finding_lines(findings))
    return exit_code(findings)


def _machine(session: Session) -> list[Finding]:
    """What an index would find of this machine: asked of an empty one that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        session.root = Path(folder)
        with session.open(session.root, create=True) as hebbs:
            return [finding for finding in hebbs.doctor() if finding.name not in OF_AN_INDEX]


def exit_code(findings: Sequence[Finding]) -> int:
    """The code for the worst finding: a wanted model, then the store, then the rest."""
    if any("model" in finding.name and finding.level in TROUBLE for finding in findings):
        return ModelUnavailable.exit_code
    faults = [finding.name for finding in findings if finding.level == "fault"]
    if any(word in name for name in faults for word in ("store", "database", "journal", "vector")):
        return StoreDamaged.exit_code
    return EXIT_PROBLEMS if faults else 0
