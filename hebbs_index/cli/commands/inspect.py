"""`hebbs inspect`: everything known about a memory, a file or a line."""

from __future__ import annotations

import click

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session
from hebbs_index.cli.text import clean


@hebbs_command("inspect")
@click.argument("target")
def command(session: Session, target: str) -> None:
    """Show the memories that TARGET means, with their edges, entities and rulings.

    TARGET is a memory id (six or more of its digits will do), a path, or path:line.

    \b
    Example:
      hebbs inspect docs/budget.md:12
    """
    from hebbs_index.cli.render import memory_lines

    with session.open() as hebbs:
        memories = hebbs.inspect(target)
    session.emit(
        memories,
        human=lambda: memory_lines(memories) if memories else [f"nothing is known of {target}"],
        raw=lambda: (clean(memory.content) for memory in memories),
    )
