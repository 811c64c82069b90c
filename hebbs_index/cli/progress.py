"""A progress bar with rate and time left, on stderr and only where someone watches it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hebbs_index.cli.session import Session

if TYPE_CHECKING:
    from rich.progress import Task, TaskID

    from hebbs_index.reports import Progress

STAGES = {"scan": "looking", "analyze": "reading", "embed": "embedding", "check": "comparing"}


@contextmanager
def progress_bar(session: Session) -> Iterator[Callable[[Progress], None] | None]:
    """Give what to call with each step, or None where no bar is shown."""
    if session.quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    # rich costs a tenth of a second to import, so only a terminal pays for it.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars
    from rich.text import Text

    class RateColumn(ProgressColumn):
        """Units a second, over the last moments."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:,.0f}/s" if task.speed else "", style="cyan")

    bars = Bars(
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True, no_color=session.color is False),
        transient=True,
    )
    tasks: dict[str, TaskID] = {}

    def show(step: Progress) -> None:
        if step.stage not in tasks:
            tasks[step.stage] = bars.add_task(STAGES.get(step.stage, step.stage), total=step.total)
        bars.update(tasks[step.stage], completed=step.done, total=step.total)

    with bars:
        yield show
