"""What one open index holds together: root, configuration, store, journals, locks, models."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hebbs_index.config import STATE_NAME, Config
from hebbs_index.journal import Journal
from hebbs_index.models import Models
from hebbs_index.reports import Progress
from hebbs_index.store import Store
from hebbs_index.store.locks import WriteLock

Report = Callable[[Progress], None]  # is told of each step of a run


def now_us() -> int:
    """The time now, in microseconds since the epoch."""
    return time.time_ns() // 1000


@dataclass(frozen=True, slots=True)
class Workspace:
    """The parts of an open index, made once and passed down."""

    root: Path
    config: Config
    store: Store
    verdicts: Journal
    memory: Journal
    lock: WriteLock
    models: Models

    @property
    def state(self) -> Path:
        """The folder that holds everything the tool writes."""
        return self.root / STATE_NAME

    @property
    def max_file_bytes(self) -> int:
        """Size above which a file is left out."""
        return int(self.config.corpus.max_file_mb * 1_000_000)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the write lock for one transaction; waits for it, then raises LockBusy."""
        with self.lock:
            yield
