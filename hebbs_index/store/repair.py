"""Throw away what `verify` finds wrong, so that it is derived anew.

A damaged document is forgotten as a whole, and the next index run reads its file again; a
damaged vector goes, and its text is embedded again. Whatever can be computed from the rest
of the database is computed at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hebbs_index.errors import StoreDamaged
from hebbs_index.journal import START, Journal
from hebbs_index.reports import Finding
from hebbs_index.store import clearing, moves
from hebbs_index.store.database import Database, as_json
from hebbs_index.store.store import Store
from hebbs_index.store.vectors import VectorCache
from hebbs_index.store.verify import (
    MISMARKED,
    ORPHANS,
    UNLISTED,
    unsound_propositions,
    unsound_statements,
    unsound_vectors,
)


def repair(
    store: Store,
    findings: Sequence[Finding],
    *,
    journals: Sequence[Journal] = (),
    cache: VectorCache | None = None,
) -> list[str]:
    """Mend what `verify` has found to be a fault and say what was done, a sentence each.

    The caller holds the write lock and runs an update afterwards. Raises StoreDamaged if the
    pages of the database are damaged, which no part of it survives.
    """
    faults = {finding.name: finding for finding in findings if finding.level == "fault"}
    if "database" in faults:
        raise StoreDamaged(f"{store.path} cannot be repaired: {faults['database'].detail}")
    done: list[str] = []
    with store.transaction():
        for name, mend in _REPAIRS.items():
            if name in faults:
                done += mend(store.database)
    if any(name.startswith("journal ") or name in ("rulings", "references") for name in faults):
        done += _apply_anew(store, journals)
    worn = any(f.name == "vector file" and f.level != "ok" for f in findings)
    if cache is not None and (worn or "vectors" in faults):
        cache.drop()
        done.append("dropped the vector file")
    return done


def _apply_anew(store: Store, journals: Sequence[Journal]) -> list[str]:
    for journal in journals:
        reading = journal.read(START)
        store.apply_events(reading.events, journal.name, reading.position, anew=True)
    return ["applied the journals anew"] if journals else []


def _clear(database: Database) -> list[str]:
    """Rows that refer to nothing may hide anything: everything is derived anew."""
    clearing.clear(database)
    return ["forgot everything derived"]


def _forget_unsound(database: Database) -> list[str]:
    paths = database.column(
        "SELECT DISTINCT document.path FROM proposition"
        " JOIN document ON document.id = document_id"
        " WHERE statement_id IN (SELECT value FROM json_each(?1))"
        " OR proposition.id IN (SELECT value FROM json_each(?2))",
        (as_json(unsound_statements(database)), as_json(unsound_propositions(database))),
    )
    return _forget(database, paths)


def _forget_unlisted(database: Database) -> list[str]:
    return _forget(database, database.column(UNLISTED))


def _forget(database: Database, paths: Sequence[str]) -> list[str]:
    moves.delete_files(database, paths)
    return [f"forgot {path}, to be read again" for path in paths]


def _drop_orphans(database: Database) -> list[str]:
    count = database.run(f"DELETE FROM statement WHERE id IN ({ORPHANS})")
    return [f"dropped {count} statements that stand nowhere", *_mark(database)]


def _fill_full_text(database: Database) -> list[str]:
    database.run("DELETE FROM proposition_text")
    database.run(
        "INSERT INTO proposition_text (rowid, text, heading, title)"
        " SELECT proposition.rowid, proposition.text,"
        " (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(heading_path)), title"
        " FROM proposition JOIN document ON document.id = document_id"
    )
    return ["filled the full-text index anew"]


def _drop_vectors(database: Database) -> list[str]:
    numbers = as_json(unsound_vectors(database))
    database.run(
        "UPDATE statement SET checked = 0 WHERE text_hash IN (SELECT text_hash FROM vector"
        " WHERE id IN (SELECT value FROM json_each(?)))",
        (numbers,),
    )
    count = database.run(
        "DELETE FROM vector WHERE id IN (SELECT value FROM json_each(?))", (numbers,)
    )
    return [f"dropped {count} vectors, to be embedded again"]


def _mark(database: Database) -> list[str]:
    count = database.run(f"UPDATE vector SET gone = 1 - gone WHERE id IN ({MISMARKED})")
    database.run("UPDATE statement SET checked = 0")
    return [f"marked {count} vectors rightly"] if count else []


# In this order: later ones build on what earlier ones leave.
_REPAIRS: Mapping[str, Callable[[Database], list[str]]] = {
    "references": _clear,
    "statement keys": _forget_unsound,
    "proposition ids": _forget_unsound,
    "manifest": _forget_unlisted,
    "statements": _drop_orphans,
    "full text": _fill_full_text,
    "vectors": _drop_vectors,
    "vector marks": _mark,
}
