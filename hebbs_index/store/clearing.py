"""Empty the store, so that everything derived is derived anew."""

from __future__ import annotations

from hebbs_index.store.database import Database

# Children before their parents.
_TABLES = (
    "pending",
    "slot",
    "link",
    "relation",
    "mention",
    "proposition",
    "statement",
    "loose_statement",
    "vector",
    "file",
    "skipped",
    "document",
    "ruling",
    "event",
    "journal",
)


def clear(database: Database) -> None:
    """Delete every row but the generation, which moves on, in one transaction.

    Numbers of statements and vectors are not used again, so no cache can mistake a new one
    for an old one.
    """
    with database.write():
        for table in _TABLES:
            database.run(f"DELETE FROM {table}")
        database.run("DELETE FROM slot")  # members that left have made some dirty again
        database.run("DELETE FROM meta WHERE key NOT IN ('generation', 'identity')")
        database.run("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
        database.step("clear:written")
    database.step("clear:committed")
