"""`hebbs contradiction-commit`: apply the verdicts of a reviewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import HUMAN, Session
from hebbs_index.errors import EXIT_PROBLEMS, VerdictError
from hebbs_index.reports import CommitResult, ContradictionVerdictInput, Rejected


@hebbs_command("contradiction-commit")
@click.option(
    "--verdicts", required=True, metavar="JSON|@FILE|-", help="The verdicts; - reads stdin."
)
@click.option("--partial", is_flag=True, help="Apply the good ones even if others are wrong.")
@click.option("--author", envvar="HEBBS_AUTHOR", help="Who rules; kept with each verdict.")
def command(session: Session, verdicts: str, partial: bool, author: str | None) -> int:
    """Rule on pending pairs: contradiction, revision or dismiss.

    Takes a JSON list of objects with pending_id and verdict, and if wanted confidence,
    reasoning, supersedes (a or b), apply_to (pair or cluster) and overrule. All
    are applied or none: exit code 2 names every fault. With --partial the good ones are
    applied, and exit code 3 says that others were not. Ruling twice alike is harmless.

    \b
    Example:
      hebbs contradiction-commit --verdicts '[{"pending_id": "3f2a1b9c4d",
        "verdict": "dismiss", "confidence": 0.9, "reasoning": "two tenants"}]'
    """
    from hebbs_index.cli.render import commit_lines
    from hebbs_index.cli.verdicts import parse_verdicts, read_argument

    inputs, faults = parse_verdicts(read_argument(verdicts))
    try:
        result = _commit(session, inputs, faults, partial=partial, author=author)
    except VerdictError as error:
        if session.format != HUMAN:
            rejected = tuple(Rejected(*pair) for pair in error.rejected)
            session.emit(CommitResult(rejected=rejected), human=list)
        raise
    session.emit(result, human=lambda: commit_lines(result))
    return EXIT_PROBLEMS if result.rejected else 0


def _commit(
    session: Session,
    inputs: Sequence[ContradictionVerdictInput],
    faults: Sequence[tuple[str, str]],
    *,
    partial: bool,
    author: str | None,
) -> CommitResult:
    if faults and not partial:
        raise VerdictError(faults)
    with session.open() as hebbs:
        result = hebbs.contradiction_commit(inputs, partial=partial, author=author)
    return replace(result, rejected=(*(Rejected(*fault) for fault in faults), *result.rejected))
