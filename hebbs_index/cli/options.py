"""The options that every command takes, before or after the command's name.

`hebbs --json status` and `hebbs status --json` mean the same: each option writes to the one
`Session` of the run. Variables are read once, at the top, so that an option typed anywhere
wins over them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from hebbs_index.cli.session import FORMATS, JSON, Session

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

# Neither existence nor access is click's business: the facade and `paths` have better sentences.
PATH = click.Path(path_type=Path, readable=False)

pass_session = click.make_pass_decorator(Session, ensure=True)


def _set_root(context: click.Context, _option: click.Parameter, value: Path | None) -> None:
    if value is not None:
        context.ensure_object(Session).root = value


def _set_format(context: click.Context, _option: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.ensure_object(Session).format = value


def _set_json(context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(Session).format = JSON


def _set_quiet(context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(Session).quiet = True


def _set_color(context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value or os.environ.get("NO_COLOR"):
        context.ensure_object(Session).color = False


def _set_override(context: click.Context, option: click.Parameter, value: tuple[str, ...]) -> None:
    session = context.ensure_object(Session)
    for assignment in value:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise click.BadParameter(
                f"{assignment!r} is not of the form section.key=value.", context, option
            )
        session.overrides[name.strip()] = text


def common_options(*, top: bool = False) -> Callable[[Decorated], Decorated]:
    """Add the common options; `top` is for the group, which also reads the variables."""
    options = (
        _option(
            "--root",
            type=PATH,
            envvar="HEBBS_ROOT" if top else None,
            callback=_set_root,
            help="Folder of the index; else found from PATH or from here upward.",
        ),
        _option(
            "--format",
            type=click.Choice(FORMATS),
            envvar="HEBBS_FORMAT" if top else None,
            callback=_set_format,
            help="How to print: for people, as JSON, or bare lines.",
        ),
        _option("--json", is_flag=True, callback=_set_json, help="Same as --format json."),
        _option(
            "--set",
            "settings",
            metavar="KEY=VALUE",
            multiple=True,
            callback=_set_override,
            help="Set a setting for this run, as in watch.poll=true.",
        ),
        _option("-q", "--quiet", is_flag=True, callback=_set_quiet, help="No notes, no progress."),
        _option(
            "--no-color", is_flag=True, callback=_set_color, help="Plain text (also NO_COLOR)."
        ),
    )

    def decorate(function: Decorated) -> Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _option(*names: str, **attributes: Any) -> Callable[[Decorated], Decorated]:
    """An option whose value goes to the session, not to the command."""
    return click.option(*names, expose_value=False, **attributes)


def hebbs_command(name: str) -> Callable[[Callable[..., int | None]], click.Command]:
    """Make a function a command with the common options and the session as first argument.

    The function's answer is the exit code; None is 0.
    """

    def decorate(function: Callable[..., int | None]) -> click.Command:
        return click.command(name)(common_options()(pass_session(function)))

    return decorate
