"""The `hebbs` command: finds a command by name, runs it, turns errors into sentences.

A command's module is imported when the command is run (or its help is asked for), so
starting costs what that command needs. What a user can get wrong ends in one sentence and
an exit code; an error nobody foresaw is a bug and keeps its traceback.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import IO, Any

import click

from hebbs_index.cli.options import common_options
from hebbs_index.cli.session import Session
from hebbs_index.cli.text import visible
from hebbs_index.errors import HebbsError
from hebbs_index.version import __version__

EXIT_ABORT = 1
EXIT_INPUT = 2
EXIT_INTERRUPTED = 130
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

COMMANDS = {
    "init": "init",
    "index": "index",
    "watch": "watch",
    "status": "status",
    "list": "list",
    "inspect": "inspect",
    "recall": "recall",
    "search": "recall",
    "check": "check",
    "contradiction-prepare": "contradiction_prepare",
    "contradiction-commit": "contradiction_commit",
    "contradictions": "contradictions",
    "undo": "undo",
    "why": "why",
    "doctor": "doctor",
    "rebuild": "rebuild",
    "verify": "verify",
    "config": "config",
    "completion": "completion",
}


class CommandLine(click.Group):
    """The commands by name, each loaded from its module when it is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order a new user meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command, or None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"hebbs_index.cli.commands.{COMMANDS[cmd_name]}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was typed, or say which one was probably meant."""
        typed = args[0]
        if typed not in COMMANDS and not typed.startswith("-") and not ctx.resilient_parsing:
            near = difflib.get_close_matches(typed, COMMANDS, n=1)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"There is no command {typed!r}.{meant}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands; `search` is shown as the other name of recall."""
        rows = []
        for name, module in COMMANDS.items():
            command = self.get_command(ctx, name)
            if command is not None:
                other = name.replace("-", "_") != module
                rows.append(
                    (name, f"Same as {module}." if other else command.get_short_help_str(limit=200))
                )
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(
    cls=CommandLine, name="hebbs", context_settings={"help_option_names": ["-h", "--help"]}
)
@common_options(top=True)
@click.version_option(__version__, "-V", "--version", message="hebbs-index %(version)s")
def cli() -> None:
    """Index the documents of a folder and find the statements in them that disagree.

    Files are never written to. What is derived from them lives in .hebbs/, and so do
    your verdicts.

    \b
    Example:
      hebbs index ./notes
    """


def main(arguments: Sequence[str] | None = None, *, session: Session | None = None) -> int:
    """Run the command line and give its exit code."""
    _survive_any_character(sys.stdout, sys.stderr)
    session = session or Session()
    try:
        code: Any = cli.main(arguments, prog_name="hebbs", standalone_mode=False, obj=session)
        if sys.stdout is not None:  # as under `>&-`
            sys.stdout.flush()
    except HebbsError as error:
        return _complain(session, str(error), error.hint, error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True, color=session.color)
        return EXIT_INPUT
    except click.UsageError as error:
        asked = error.ctx.command_path if error.ctx else "hebbs"
        hint = f"Run `{asked} --help` to see what it takes."
        return _complain(session, error.format_message(), hint, EXIT_INPUT)
    except click.ClickException as error:
        return _complain(session, error.format_message(), "", EXIT_INPUT)
    except (click.Abort, KeyboardInterrupt):
        return _complain(session, "interrupted", "", EXIT_INTERRUPTED)
    except PermissionError as error:
        return _complain(session, f"no permission: {error.filename}", "", EXIT_INPUT)
    except BrokenPipeError:
        _drop_output()
        return EXIT_ABORT
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        _drop_output()
        return _complain(session, f"cannot write: {error.strerror}", "", EXIT_ABORT)
    return code if isinstance(code, int) else 0


def _complain(session: Session, message: str, hint: str, code: int) -> int:
    """Say what is wrong in one sentence, and what to do if that is known."""
    with contextlib.suppress(BrokenPipeError):
        click.echo(f"hebbs: {visible(message)}", err=True, color=session.color)
        if hint:
            click.echo(hint, err=True, color=session.color)
    return code


def _survive_any_character(*streams: IO[str] | Any) -> None:
    """Escape what a stream cannot encode: a legacy console must not end a run."""
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Send what is left to nowhere, so that the interpreter does not fail on it at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
