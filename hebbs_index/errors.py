"""What can go wrong, each with a sentence, a hint and a stable exit code.

A `HebbsError` ends the command: its text says what and where, its `hint` what to
do. Trouble with a single file is a `FileProblem` instead: collected, printed at
the end, exit code 3. Exit codes are part of the interface:

    0 done, 1 bug or abort, 2 wrong input or config, 3 done with problems,
    4 no index here, 5 lock not free in time, 6 store damaged or newer,
    7 root missing or suddenly empty, 8 model missing or wrong,
    10 `check` found open contradictions, 130 interrupted
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

EXIT_PROBLEMS = 3
EXIT_OPEN_CONTRADICTIONS = 10


class HebbsError(Exception):
    """Base of all errors that end a command with a sentence instead of a traceback."""

    exit_code = 1
    hint = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        if hint is not None:
            self.hint = hint


class InputError(HebbsError):
    """Something the user typed or sent cannot be used."""

    exit_code = 2


class ConfigError(InputError):
    """`hebbs.toml`, a variable or a flag has faults; all of them are listed."""

    def __init__(self, where: str, problems: Sequence[str]) -> None:
        lines = "\n".join(f"  {problem}" for problem in problems)
        noun = "problem" if len(problems) == 1 else "problems"
        super().__init__(f"{where} has {len(problems)} {noun}:\n{lines}")
        self.where = where
        self.problems = tuple(problems)


class VerdictError(InputError):
    """A batch of verdicts cannot be applied; every item at fault is named."""

    def __init__(self, rejected: Sequence[tuple[str, str]]) -> None:
        lines = "\n".join(f"  {pending_id}: {reason}" for pending_id, reason in rejected)
        super().__init__(f"no verdict was applied, because of\n{lines}")
        self.rejected = tuple(rejected)

    hint = "Mend these and send the batch again, or pass --partial to apply the rest."


class NoIndex(HebbsError):
    """There is no index at or above the place asked for."""

    exit_code = 4
    hint = "Run `hebbs index PATH` or `hebbs watch PATH` to make one."


class LockBusy(HebbsError):
    """Another process holds a lock and did not give it back in time."""

    exit_code = 5


class StoreDamaged(HebbsError):
    """The database cannot be read or contradicts itself."""

    exit_code = 6
    hint = "Run `hebbs rebuild`: files and journals hold everything that matters."


class StoreNewer(HebbsError):
    """The database was written by a newer version of hebbs-index."""

    exit_code = 6
    hint = "Upgrade hebbs-index, or run `hebbs rebuild` to index anew with this version."


class CorpusVanished(HebbsError):
    """The corpus root is missing, unreadable, or empty although documents are indexed from it."""

    exit_code = 7
    hint = "Check that the disk is mounted, or pass --allow-empty to drop these documents."

    def __init__(self, root: Path, reason: str) -> None:
        super().__init__(f"{root}: {reason}")
        self.root = root


class ModelUnavailable(HebbsError):
    """A model is missing or is not the one that was pinned."""

    exit_code = 8
    hint = "Run `hebbs doctor` to see which models are found and how to install them."
