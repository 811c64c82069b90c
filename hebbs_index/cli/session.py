"""What one run of the command line knows: its options, its streams, how to open an index.

Commands get a `Session` and nothing else. Tests give one whose `opener` makes a small
double, so that the whole command line can be tried without a store or a model.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hebbs_index.cli.render_json import to_json

if TYPE_CHECKING:
    from hebbs_index.index import Hebbs

HUMAN, JSON, RAW = "human", "json", "raw"
FORMATS = (HUMAN, JSON, RAW)


def open_index(path: Path | None, **options: Any) -> Hebbs:
    """Open the real index; imported late, because help and completion need none of it."""
    from hebbs_index.index import Hebbs

    return Hebbs.open(path, **options)


@dataclass
class Session:
    """Options that every command takes, and the way in and out."""

    opener: Callable[..., Hebbs] = open_index
    root: Path | None = None
    format: str = HUMAN
    quiet: bool = False
    color: bool | None = None  # None: as the stream is; False: never
    overrides: dict[str, Any] = field(default_factory=dict)

    def open(self, path: Path | None = None, *, create: bool = False, **more: Any) -> Hebbs:
        """Open the index for a path (or from here), and say what opening it had to say."""
        hebbs = self.opener(path, root=self.root, create=create, overrides=self.overrides, **more)
        for note in hebbs.notes:
            self.say(note)
        return hebbs

    def say(self, text: str) -> None:
        """Talk: to stderr, unless asked to be quiet."""
        if not self.quiet:
            click.echo(text, err=True, color=self.color)

    def print(self, text: str) -> None:
        """Data: one line or more to stdout."""
        click.echo(text, color=self.color)

    def print_lines(self, lines: Iterable[str]) -> None:
        """Data: line by line, so that a closed pipe ends a long answer early."""
        for line in lines:
            self.print(line)

    def emit(
        self,
        value: Any,
        *,
        human: Callable[[], Iterable[str]],
        raw: Callable[[], Iterable[str]] | None = None,
    ) -> None:
        """Print an answer in the format asked for; raw without a form of its own is JSON a line."""
        if self.format == JSON:
            self.print(to_json(value, ascii_only=not writes_unicode()))
        elif self.format == HUMAN:
            self.print_lines(human())
        elif raw is not None:
            self.print_lines(raw())
        else:
            self.emit_line(value)

    def emit_line(self, value: Any) -> None:
        """Print a value as one line of JSON."""
        self.print(to_json(value, ascii_only=not writes_unicode(), indent=None))


def writes_unicode() -> bool:
    """Whether stdout can write every character."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    return encoding.startswith("utf")
