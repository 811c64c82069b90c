"""`hebbs check`: fail where statements disagree and nobody has ruled; made for CI."""

from __future__ import annotations

from pathlib import Path

import click

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session
from hebbs_index.errors import EXIT_OPEN_CONTRADICTIONS


@hebbs_command("check")
@click.argument("paths", nargs=-1)
@click.option(
    "--min-confidence", type=click.FloatRange(0, 1), help="Ignore pairs that are less certain."
)
def command(session: Session, paths: tuple[str, ...], min_confidence: float | None) -> int:
    """List possible contradictions that wait for a verdict, and exit with 10 if any do.

    Reads the index as it is, so run `hebbs index` before it. With PATHS only pairs with
    at least one side below one of them count.

    \b
    Example:
      hebbs index . && hebbs check docs --min-confidence 0.5
    """
    from hebbs_index.cli.render import pending_lines, raw_pairs

    with session.open(Path(paths[0]) if paths else None) as hebbs:
        pairs = hebbs.contradiction_prepare(paths=paths, min_confidence=min_confidence)
    session.emit(
        pairs,
        human=lambda: pending_lines(pairs) if pairs else ["no open contradictions"],
        raw=lambda: raw_pairs(pairs),
    )
    return EXIT_OPEN_CONTRADICTIONS if pairs else 0
