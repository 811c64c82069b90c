"""`hebbs completion`: the script that lets a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from hebbs_index.cli.options import hebbs_command
from hebbs_index.cli.session import Session

VARIABLE = "_HEBBS_COMPLETE"


@hebbs_command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def command(session: Session, shell: str) -> None:
    """Print the completion script for SHELL, to be loaded when the shell starts.

    \b
    Example:
      hebbs completion bash >> ~/.bashrc
    """
    source = get_completion_class(shell)
    if source is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    root = click.get_current_context().find_root().command
    session.print(source(root, {}, "hebbs", VARIABLE).source())
