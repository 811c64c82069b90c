"""Bring the store's copy of the journals up to date; every open and every run starts here."""

from __future__ import annotations

from hebbs_index.records import FileProblem
from hebbs_index.workspace import Workspace


def apply_journals(workspace: Workspace) -> tuple[FileProblem, ...]:
    """Apply what the two journals have and the store does not; gives damaged lines.

    The write lock is taken only if there is something to apply.
    """
    faults: list[FileProblem] = []
    for journal in (workspace.verdicts, workspace.memory):
        before = workspace.store.journal_position(journal.name)
        reading = journal.read(before)
        if reading.anew or reading.position != before:
            with workspace.writing():
                reading = workspace.store.catch_up(journal)
        faults += [
            FileProblem(journal.name, "journal", f"line {fault.line}: {fault.reason}")
            for fault in reading.faults
        ]
    return tuple(faults)
