"""`hebbs contradiction-prepare`: what waits for a verdict, for an agent to judge."""

from __future__ import annotations

from pathlib import Path

import click

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session


@hebbs_command("contradiction-prepare")
@click.argument("paths", nargs=-1)
@click.option("--limit", type=click.IntRange(min=1), help="Most pairs to give; else all.")
@click.option(
    "--min-confidence", type=click.FloatRange(0, 1), help="Leave out pairs less certain than this."
)
def command(
    session: Session, paths: tuple[str, ...], limit: int | None, min_confidence: float | None
) -> None:
    """List pairs of statements that may contradict each other and wait for a verdict.

    Nothing is changed. The most certain come first; a is the older statement, b the
    newer. Answer with `hebbs contradiction-commit`.

    \b
    Example:
      hebbs contradiction-prepare --limit 10 --format json
    """
    from hebbs_index.cli.render import pending_lines, raw_pairs

    with session.open(Path(paths[0]) if paths else None) as hebbs:
        pairs = hebbs.contradiction_prepare(limit=limit, paths=paths, min_confidence=min_confidence)
    session.emit(
        pairs,
        human=lambda: pending_lines(pairs) if pairs else ["no open contradictions"],
        raw=lambda: raw_pairs(pairs),
    )
