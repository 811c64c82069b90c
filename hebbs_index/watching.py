"""`hebbs watch`: a source of events, a debounce and an update, bound to one index."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from hebbs_index.layers.parse import FORMATS
from hebbs_index.reports import UpdateReport
from hebbs_index.store.locks import Heartbeat, WatchLock
from hebbs_index.watch.debounce import Debounce
from hebbs_index.watch.polling import WatchSource
from hebbs_index.watch.worker import Update, run_watch
from hebbs_index.workspace import Workspace


def watch(
    workspace: Workspace,
    update: Update,
    *,
    on_report: Callable[[UpdateReport], None],
    on_note: Callable[[str], None],
    stop: threading.Event,
) -> None:
    """Follow the files until `stop` is set. Raises LockBusy if another watcher does already."""
    config = workspace.config.watch
    heart = Heartbeat(workspace.state)

    def beat(facts: Mapping[str, Any]) -> None:
        heart.beat(**facts)

    debounce = Debounce(
        quiet_ms=config.quiet_ms,
        settle_ms=config.settle_ms,
        burst_events=config.burst_events,
        burst_quiet_ms=config.burst_quiet_ms,
        ceiling_ms=config.ceiling_ms,
    )
    # Its inotify part warns, at great length, of folders that are made anew while it looks.
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.")
    with WatchLock(workspace.state):
        try:
            run_watch(
                WatchSource(workspace.root, suffixes=FORMATS.keys(), poll=config.poll),
                debounce,
                update,
                on_report=on_report,
                on_note=on_note,
                heartbeat=beat,
                stop=stop,
                rescan_every_s=config.rescan_seconds,
            )
        finally:
            heart.stop()
