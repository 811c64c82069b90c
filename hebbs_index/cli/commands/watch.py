"""`hebbs watch`: keep an index in step with its files, a line for each new disagreement."""

from __future__ import annotations

import logging
import signal
import threading
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hebbs_index.cli.options import PATH, hebbs_command
from hebbs_index.cli.paths import require_folder
from hebbs_index.cli.render import pair_line, raw_pairs
from hebbs_index.cli.render_reports import changes_text, problem_lines
from hebbs_index.cli.session import HUMAN, JSON, Session

if TYPE_CHECKING:
    from hebbs_index.reports import UpdateReport

EXIT_INTERRUPTED = 130


@hebbs_command("watch")
@click.argument("path", required=False, type=PATH)
@click.option("--poll", is_flag=True, help="Look again and again instead of trusting events.")
@click.option(
    "--allow-empty", is_flag=True, help="Believe an empty folder: drop what was indexed from it."
)
def command(session: Session, path: Path | None, poll: bool, allow_empty: bool) -> int:
    """Follow the files under PATH and print each new possible contradiction as it appears.

    A folder never seen before becomes an index. Ends with SIGTERM (exit code 0) or
    Ctrl-C (130); the next run catches up with what changed meanwhile. With --json each
    contradiction is one line of JSON.

    \b
    Example:
      hebbs watch ./notes
    """
    if path is not None:
        require_folder(path)
    if poll:
        session.overrides["watch.poll"] = True
    # What it has to say as a warning is about its own threads while they end.
    logging.getLogger("watchdog").setLevel(logging.ERROR)
    stop = Stop()
    with session.open(path, create=path is not None) as hebbs, stop:
        session.say(f"{_now()} watching {hebbs.root}; Ctrl-C ends it")
        hebbs.watch(
            on_report=lambda report: show_report(session, report),
            on_note=lambda note: session.say(f"{_now()} {note}"),
            stop=stop.event,
            allow_empty=allow_empty,
        )
    session.say(f"{_now()} stopped")
    return stop.exit_code


class Stop:
    """Turns SIGTERM and Ctrl-C into an event; a second Ctrl-C interrupts at once."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.exit_code = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        # Handlers can only be set in the main thread, which is where a command line runs.
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, _frame: object) -> None:
        if number == signal.SIGINT:
            if self.event.is_set():
                raise KeyboardInterrupt
            self.exit_code = EXIT_INTERRUPTED
        self.event.set()


def show_report(session: Session, report: UpdateReport) -> None:
    """Print the new pairs of one batch, and on stderr what the batch did."""
    plan = report.plan
    if any((plan.added, plan.modified, plan.moved, plan.deleted, report.problems)):
        session.say(f"{_now()} {changes_text(report)} in {report.seconds:.1f} s")
    for line in problem_lines(report.problems):
        session.say(f"{_now()} {line}")
    if session.format == JSON:
        for pair in report.new_pending:
            session.emit_line(pair)
    elif session.format == HUMAN:
        session.print_lines(f"{_now()} {pair_line(pair)}" for pair in report.new_pending)
    else:
        session.print_lines(raw_pairs(report.new_pending))


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
