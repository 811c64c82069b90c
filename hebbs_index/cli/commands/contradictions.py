"""`hebbs contradictions`: open pairs and past verdicts."""

from __future__ import annotations

import click

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session
from hebbs_index.cli.text import clean

STATES = ("all", "open", "ruled", "history", "unmatched")


@hebbs_command("contradictions")
@click.option(
    "--state",
    type=click.Choice(STATES),
    default="all",
    show_default=True,
    help="open: no verdict yet; history: a text is gone; unmatched: its sentence is.",
)
def command(session: Session, state: str) -> None:
    """List pairs with the verdict each one has, who ruled, when and why.

    \b
    Example:
      hebbs contradictions --state ruled
    """
    from hebbs_index.cli.render import ruling_lines

    with session.open() as hebbs:
        rulings = hebbs.contradictions(state)
    session.emit(
        rulings,
        human=lambda: ruling_lines(rulings) if rulings else ["none"],
        raw=lambda: (
            "\t".join(
                (r.pending_id, r.state, r.verdict or "", clean(r.content_a), clean(r.content_b))
            )
            for r in rulings
        ),
    )
