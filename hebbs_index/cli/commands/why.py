"""`hebbs why`: the reasons for flagging, or not flagging, two statements."""

from __future__ import annotations

import click

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session


@hebbs_command("why")
@click.argument("a")
@click.argument("b")
def command(session: Session, a: str, b: str) -> None:
    """Explain why statements A and B are, or are not, taken for a contradiction.

    Each is a memory id, a path:line, or a statement written out. Nothing is changed.

    \b
    Example:
      hebbs why "Budget is $5,000 per tenant" "Budget is $2,000 per tenant"
    """
    from hebbs_index.cli.render import explanation_lines

    with session.open() as hebbs:
        answer = hebbs.why(a, b)
    session.emit(answer, human=lambda: explanation_lines(answer))
