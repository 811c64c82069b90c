"""The SQLite file: connections, transactions, and errors as sentences.

One connection a thread, opened when a thread first asks. Write-ahead logging lets readers
go on while somebody writes. Whatever goes wrong inside SQLite leaves this module as a
`HebbsError` that says what happened to which file; rows that cannot be read back as the
records they were are damage too.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from hebbs_index.errors import HebbsError, InputError, LockBusy, StoreDamaged
from hebbs_index.store.migrations import migrate

Record = TypeVar("Record")
Row = sqlite3.Row
Parameters = Sequence[Any]
StepHook = Callable[[str], None]

BUSY_SECONDS = 10.0  # the write lock is waited for as long
OLDEST_SQLITE = (3, 37, 0)  # the first with STRICT tables

# Ways in which decoding a damaged row fails before it could give a wrong record.
_UNREADABLE = (
    TypeError,
    ValueError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    struct.error,
)

# Python may fail to decode what SQLite says of a damaged file.
_SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)


def time_us() -> int:
    """Now, in microseconds since the epoch (UTC)."""
    return time.time_ns() // 1000


def as_json(value: Any) -> str:
    """Compact ASCII JSON with sorted keys: equal values give equal text, half characters pass."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def _bindable(parameters: Parameters) -> list[Any]:
    """Parameters with half characters (lone surrogates), which SQLite cannot hold, replaced."""
    return [
        value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value
        for value in parameters
    ]


def remove_database(path: Path) -> None:
    """Delete a database with its log, whatever state it is in."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


class Database:
    """Connections to one database file. Made by `Store.open`."""

    def __init__(self, path: Path, *, on_step: StepHook | None = None) -> None:
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise HebbsError(
                f"SQLite {sqlite3.sqlite_version} is too old; 3.37 or later is needed",
                hint="Use a Python built with a newer SQLite.",
            )
        self.path = path
        self.on_step = on_step
        self._local = threading.local()
        self._guard = threading.Lock()
        self._open: list[tuple[threading.Thread, sqlite3.Connection]] = []
        self._closed = False
        try:
            self._connection()
        except _SQLITE_ERRORS as error:
            raise self._translate(error) from error

    # ---------------------------------------------------------------- connections

    def _connection(self) -> sqlite3.Connection:
        """This thread's connection, opened anew if another process has replaced the file."""
        if self._closed:
            raise RuntimeError("this store is closed")
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is not None:
            if connection.in_transaction or self._local.file == _file_number(self.path):
                return connection
            self._local.connection = None  # even if opening it anew fails
            connection.close()
        connection = _connect(self.path)
        self._local.connection = connection
        self._register(connection)
        migrate(connection, self.path)
        self._local.file = _file_number(self.path)
        return connection

    def _register(self, connection: sqlite3.Connection) -> None:
        with self._guard:
            dead = [(t, c) for t, c in self._open if not t.is_alive()]
            self._open = [(t, c) for t, c in self._open if t.is_alive()]
            self._open.append((threading.current_thread(), connection))
        for _thread, old in dead:
            old.close()

    def close(self) -> None:
        """Close the connections of all threads; closing twice is harmless."""
        with self._guard:
            connections, self._open, self._closed = self._open, [], True
        for _thread, connection in connections:
            connection.close()

    # ---------------------------------------------------------------- reading

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """All rows of a query."""
        try:
            return self._execute(sql, parameters).fetchall()
        except _SQLITE_ERRORS as error:
            raise self._translate(error) from error

    def row(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """The first row of a query, or None."""
        rows = self.rows(sql, parameters)
        return rows[0] if rows else None

    def value(self, sql: str, parameters: Parameters = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.row(sql, parameters)
        return None if row is None else row[0]

    def number(self, sql: str, parameters: Parameters = ()) -> int:
        """A count or counter; damage if it is not a number."""
        value = self.value(sql, parameters)
        return self.decoded(int, value)

    def column(self, sql: str, parameters: Parameters = ()) -> list[Any]:
        """The first column of all rows."""
        return [row[0] for row in self.rows(sql, parameters)]

    def records(
        self, build: Callable[[Row], Record], sql: str, parameters: Parameters = ()
    ) -> list[Record]:
        """Rows made into records; a row that cannot be made into one is damage."""
        rows = self.rows(sql, parameters)
        return self.decoded(lambda found: [build(row) for row in found], rows)

    def decoded(self, build: Callable[[Any], Record], value: Any) -> Record:
        """Decode something stored. Raises StoreDamaged if it is not what was written."""
        try:
            return build(value)
        except _UNREADABLE as error:
            raise StoreDamaged(
                f"{self.path} holds a value that cannot be read back: {error}"
            ) from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Several reads that see one state of the database, whoever writes meanwhile."""
        if self._connection().in_transaction:
            yield
            return
        self.run("BEGIN")
        try:
            yield
        finally:
            self._roll_back()

    # ---------------------------------------------------------------- writing

    @contextmanager
    def write(self) -> Iterator[None]:
        """One transaction, all or nothing; inside another one it is a part of that.

        Raises LockBusy if another process keeps writing for `BUSY_SECONDS`.
        """
        connection = self._connection()
        if connection.in_transaction:
            if not getattr(self._local, "writing", False):
                raise RuntimeError("a snapshot cannot write")
            yield
            return
        self.run("BEGIN IMMEDIATE")
        self._local.writing = True
        try:
            yield
            self.run("COMMIT")
        finally:
            self._local.writing = False
            self._roll_back()

    def _roll_back(self) -> None:
        """End what is left of a transaction, without hiding the error that ended it."""
        with suppress(sqlite3.Error):
            connection = self._connection()
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement and return the number of rows it changed."""
        try:
            return self._execute(sql, parameters).rowcount
        except _SQLITE_ERRORS as error:
            raise self._translate(error) from error

    def insert(self, sql: str, parameters: Parameters = ()) -> int:
        """Insert a row and return its number."""
        try:
            return int(self._execute(sql, parameters).lastrowid or 0)
        except _SQLITE_ERRORS as error:
            raise self._translate(error) from error

    def run_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run a statement once for each row of parameters."""
        for row in rows:
            self.run(sql, row)

    def _execute(self, sql: str, parameters: Parameters) -> sqlite3.Cursor:
        connection = self._connection()
        try:
            return connection.execute(sql, parameters)
        except UnicodeEncodeError:
            return connection.execute(sql, _bindable(parameters))

    def step(self, name: str) -> None:
        """Tell the hook, if any, which point of a write is reached. It may raise."""
        if self.on_step is not None:
            self.on_step(name)

    def _translate(self, error: Exception) -> Exception:
        """The error to raise instead: a sentence, or the error itself if it is our bug."""
        if isinstance(error, sqlite3.Error):
            return translate(error, self.path) or error
        return StoreDamaged(f"{self.path} is damaged: {error}")


def _file_number(path: Path) -> int | None:
    """Tells a file from one that took its name; the old one's number is not free while open."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA cell_size_check = ON")  # look at pages before trusting them
        _use_write_ahead_log(connection)
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch to WAL. SQLite does not wait by itself when two processes do so at once."""
    deadline = time.monotonic() + BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def translate(error: sqlite3.Error, path: Path) -> HebbsError | None:
    """What an error of SQLite means for the user; None if it is a bug of this program."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if code is not None else None
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LockBusy(f"{path} is being written by another process")
    if primary == sqlite3.SQLITE_FULL:
        return HebbsError(f"{path} cannot be written: the disk is full")
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        if not path.parent.is_dir():
            return InputError(f"{path.parent} is gone", hint="Index the folder again.")
        return InputError(
            f"{path} cannot be opened for writing: {error}",
            hint="Check the permissions of the file and its folder.",
        )
    if primary == sqlite3.SQLITE_IOERR:
        return HebbsError(f"{path}: the disk reports an error: {error}")
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError):
        return None
    return StoreDamaged(f"{path} is damaged: {error}")
