"""`hebbs config`: the settings in force, and where each came from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hebbs_index.cli.options import common_options, hebbs_command, pass_session
from hebbs_index.cli.session import Session
from hebbs_index.config import Config, iter_settings, load_config
from hebbs_index.config_template import toml_value
from hebbs_index.errors import NoIndex
from hebbs_index.roots import find_root


@click.group("config", invoke_without_command=True)
@common_options()
@pass_session
@click.pass_context
def command(context: click.Context, session: Session) -> None:
    """Show every setting with its value and where it came from.

    A flag wins over a variable, a variable over hebbs.toml, and that over the default.
    Needs no index.

    \b
    Example:
      hebbs config get contradiction.min_confidence
    """
    if context.invoked_subcommand is None:
        _emit(session, list(iter_settings(_load(session))))


@hebbs_command("get")
@click.argument("key")
def get(session: Session, key: str) -> None:
    """Print the value of one setting.

    \b
    Example:
      hebbs config get watch.quiet_ms
    """
    config = _load(session)
    _emit_one(session, key, config.get(key), config.origin(key))


command.add_command(get)


def _load(session: Session) -> Config:
    try:
        found = find_root(root=session.root)
    except NoIndex:  # then what an index made here would get
        return load_config(Path.cwd(), flags=session.overrides)
    if found.note:
        session.say(found.note)
    return load_config(found.root, flags=session.overrides)


def _emit(session: Session, settings: Sequence[tuple[str, Any, str]]) -> None:
    from hebbs_index.cli.render_reports import setting_lines

    session.emit(
        {name: {"value": value, "origin": origin} for name, value, origin in settings},
        human=lambda: setting_lines(settings),
        raw=lambda: (f"{name}={toml_value(value)}" for name, value, _origin in settings),
    )


def _emit_one(session: Session, name: str, value: Any, origin: str) -> None:
    bare = value if isinstance(value, str) else toml_value(value)
    session.emit(
        {"key": name, "value": value, "origin": origin},
        human=lambda: [bare],
        raw=lambda: [bare],
    )
