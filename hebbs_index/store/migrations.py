"""Bring a database up to the present schema, one named step at a time.

Each step and the new `user_version` commit together: a process that dies in between
leaves the version before, and the next one repeats the step. A version newer than
ours is refused before anything is read or written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hebbs_index.errors import StoreDamaged, StoreNewer
from hebbs_index.store.schema import APPLICATION_ID, SCHEMA, SCHEMA_VERSION

Step = Callable[[sqlite3.Connection], None]


def run_script(connection: sqlite3.Connection, script: str) -> None:
    """Run several statements inside the open transaction (`executescript` would commit it)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def m001_first_tables(connection: sqlite3.Connection) -> None:
    """Create everything."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    run_script(connection, SCHEMA)


STEPS: tuple[Step, ...] = (m001_first_tables,)  # step n leads from version n to n + 1


def user_version(connection: sqlite3.Connection) -> int:
    """The schema version of the open database; 0 for one without tables."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def pending_steps(connection: sqlite3.Connection, path: Path) -> tuple[Step, ...]:
    """The steps still to run. Writes nothing.

    Raises StoreNewer for a later version, StoreDamaged for somebody else's database.
    """
    with _one_moment(connection):
        version = user_version(connection)
        _refuse_foreign(connection, path, version)
    if version > SCHEMA_VERSION:
        raise StoreNewer(
            f"{path} has schema version {version}; this program knows versions up to "
            f"{SCHEMA_VERSION}"
        )
    return STEPS[version:SCHEMA_VERSION]


@contextmanager
def _one_moment(connection: sqlite3.Connection) -> Iterator[None]:
    """Read one state: between two reads another process may make all the tables."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")  # of reads alone: it only lets go of the state


def _refuse_foreign(connection: sqlite3.Connection, path: Path, version: int) -> None:
    found = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])
    if found != APPLICATION_ID and (tables or version):
        raise StoreDamaged(f"{path} is a database, but not one of hebbs-index")
    if found == APPLICATION_ID and not (tables and version > 0):
        raise StoreDamaged(f"{path} has lost its schema")


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Run every pending step, each in its own transaction.

    Several processes may do this at once: whoever comes second finds nothing left.
    """
    while pending_steps(connection, path):
        connection.execute("BEGIN IMMEDIATE")
        try:
            steps = pending_steps(connection, path)
            if steps:
                version = user_version(connection)
                steps[0](connection)
                connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
