"""`hebbs recall` (or `search`): find statements by meaning and by words."""

from __future__ import annotations

import click

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session
from hebbs_index.cli.text import clean


@hebbs_command("recall")
@click.argument("query", nargs=-1, required=True)
@click.option("-k", "--limit", type=click.IntRange(1, 1000), help="How many answers to give.")
@click.option("--path", "paths", multiple=True, help="Only below this path; can be repeated.")
@click.option("--entity-id", "entity", help="Only about this entity.")
@click.option("--include-superseded", is_flag=True, help="Also what a revision has replaced.")
def command(
    session: Session,
    query: tuple[str, ...],
    limit: int | None,
    paths: tuple[str, ...],
    entity: str | None,
    include_superseded: bool,
) -> None:
    """Find statements that answer QUERY, each with its path:line and what contests it.

    \b
    Example:
      hebbs recall "budget per tenant" -k 5
    """
    from hebbs_index.cli.render import hit_lines

    words = " ".join(query).strip()
    if not words:
        raise click.UsageError("The query is empty.")
    with session.open() as hebbs:
        hits = hebbs.recall(
            words,
            k=limit or hebbs.config.recall.k,
            paths=paths,
            entity=entity,
            include_superseded=include_superseded,
        )
    session.emit(
        hits,
        human=lambda: hit_lines(hits) if hits else ["nothing found"],
        raw=lambda: (clean(hit.content) for hit in hits),
    )
