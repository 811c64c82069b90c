"""Look for anything in the index that contradicts itself. Nothing is written here.

Each kind of fault has a name, by which `repair.py` knows what to throw away so that it is
derived anew. A database whose pages are damaged is beyond that: it is rebuilt as a whole.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from hebbs_index import ids
from hebbs_index.errors import StoreDamaged
from hebbs_index.journal import START, Journal, fold_rulings
from hebbs_index.reports import Finding
from hebbs_index.store.database import Database, Row
from hebbs_index.store.reviews import events
from hebbs_index.store.store import Store
from hebbs_index.store.vectors import VectorCache

REBUILD = "Run `hebbs rebuild`: files and journals hold everything that matters."
REPAIR = "Run `hebbs verify --repair`, then `hebbs index`."
_SHOWN = 3  # examples named in a finding


def verify(
    store: Store, journals: Sequence[Journal] = (), *, cache: VectorCache | None = None
) -> list[Finding]:
    """Everything that was looked at: findings of level ok, note, warning or fault."""
    database = store.database
    pages = _look(_pages, database)
    if any(finding.level == "fault" for finding in pages):
        return pages
    findings = [*pages]
    for check in (_references, _orphans, _full_text, _keys, _vectors, _manifest, _rulings):
        findings += _look(check, database)
    for journal in journals:
        findings += _look(partial(_journal, journal=journal), database)
    if cache is not None:
        level, detail = cache.state()
        findings.append(Finding("vector file", level, detail, "" if level == "ok" else REPAIR))
    return findings


Check = Callable[[Database], Iterator[Finding]]


def _look(check: Check, database: Database) -> list[Finding]:
    """Run one check on one state of the database; damage met on the way is a finding too."""
    try:
        with database.snapshot():
            return database.decoded(lambda where: list(check(where)), database)
    except StoreDamaged as error:
        return [Finding("database", "fault", str(error), REBUILD)]


def _result(name: str, bad: Collection[object], what: str, fine: str) -> Finding:
    if not bad:
        return Finding(name, "ok", fine)
    shown = ", ".join(str(item) for item in list(bad)[:_SHOWN])
    more = ", ..." if len(bad) > _SHOWN else ""
    return Finding(name, "fault", f"{len(bad)} {what}: {shown}{more}", REPAIR)


# ---------------------------------------------------------------- bytes and references


def _pages(database: Database) -> Iterator[Finding]:
    said = [str(value) for value in database.column("PRAGMA integrity_check")]
    if said == ["ok"]:
        yield Finding("database", "ok", "all pages are sound")
    else:
        yield Finding("database", "fault", "; ".join(said[:_SHOWN]), REBUILD)


def _references(database: Database) -> Iterator[Finding]:
    broken = database.rows("PRAGMA foreign_key_check")
    bad = [f"{row['table']} -> {row['parent']}" for row in broken]
    yield _result("references", bad, "rows refer to nothing", "all references meet")


ORPHANS = (
    "SELECT id FROM statement WHERE NOT EXISTS"
    " (SELECT 1 FROM proposition WHERE statement_id = statement.id)"
)


def _orphans(database: Database) -> Iterator[Finding]:
    orphans = database.column(ORPHANS)
    yield _result("statements", orphans, "statements stand nowhere", "every statement stands")


# ---------------------------------------------------------------- full text

_TEXT_WRONG = (
    "SELECT proposition.rowid FROM proposition JOIN document ON document.id = document_id"
    " LEFT JOIN proposition_text AS found ON found.rowid = proposition.rowid"
    " WHERE found.rowid IS NULL OR found.text <> proposition.text OR found.title <> document.title"
    " UNION SELECT rowid FROM proposition_text WHERE rowid NOT IN (SELECT rowid FROM proposition)"
)


def _full_text(database: Database) -> Iterator[Finding]:
    wrong = database.column(_TEXT_WRONG)
    yield _result("full text", wrong, "rows differ from their propositions", "agrees with the rows")


# ---------------------------------------------------------------- keys made of content


def _keys(database: Database) -> Iterator[Finding]:
    """Keys are hashes of what they stand for, so a flipped bit in a text shows."""
    wrong = unsound_statements(database)
    yield _result("statement keys", wrong, "statements differ from their hash", "all match")
    bad = unsound_propositions(database)
    yield _result("proposition ids", bad, "propositions differ from their id", "all match")


def unsound_statements(database: Database) -> list[int]:
    """Numbers of statements that do not match the hashes of their content."""
    rows = database.rows(
        "SELECT id, content_hash, text_hash, text, embed_text, claims FROM statement"
    )
    return [int(row["id"]) for row in rows if not _statement_is_sound(row)]


def unsound_propositions(database: Database) -> list[str]:
    """Ids of propositions that do not follow from their document and statement."""
    rows = database.rows(
        "SELECT proposition.id, document_id, statement_id, occurrence, proposition.text,"
        " heading_path, statement_key, statement.text AS statement_text FROM proposition"
        " LEFT JOIN statement ON statement.id = statement_id"
    )
    return [str(row["id"]) for row in rows if not _proposition_is_sound(row)]


def _statement_is_sound(row: Row) -> bool:
    content = ids.digest("content", row["text"], row["embed_text"], row["claims"])
    return bool(
        row["content_hash"] == content and row["text_hash"] == ids.text_hash(row["embed_text"])
    )


def _proposition_is_sound(row: Row) -> bool:
    if row["statement_text"] != row["text"] or not _is_json(row["heading_path"]):
        return False
    wanted = ids.proposition_id(row["document_id"], row["statement_key"], row["occurrence"])
    return bool(row["id"] == wanted)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


# ---------------------------------------------------------------- vectors


def _vectors(database: Database) -> Iterator[Finding]:
    wrong = unsound_vectors(database)
    yield _result("vectors", wrong, "vectors differ from their checksum", "all match")
    strays = database.column(MISMARKED)
    yield _result("vector marks", strays, "vectors are wrongly marked", "every mark is right")
    without = database.number(
        "SELECT count(*) FROM statement WHERE NOT EXISTS"
        " (SELECT 1 FROM vector WHERE vector.text_hash = statement.text_hash)"
    )
    if without:
        yield Finding("vectors", "note", f"{without} statements have no vector yet")


def unsound_vectors(database: Database) -> list[int]:
    """Numbers of vectors that are not what was written, or not as long as most."""
    rows = database.rows("SELECT id, data, checksum FROM vector")
    sizes = Counter(len(row["data"]) for row in rows)
    size = sizes.most_common(1)[0][0] if sizes else 0
    return [
        int(row["id"])
        for row in rows
        if zlib.crc32(row["data"]) != row["checksum"] or len(row["data"]) != size
    ]


MISMARKED = (
    "SELECT id FROM vector WHERE gone = EXISTS"
    " (SELECT 1 FROM statement WHERE statement.text_hash = vector.text_hash)"
)


# ---------------------------------------------------------------- manifest

UNLISTED = (
    "SELECT document.path FROM document LEFT JOIN file ON file.path = document.path"
    " WHERE file.document_id IS NOT document.id"
    " OR (file.problems = '[]' AND file.content_hash IS NOT document.content_hash)"
    " UNION SELECT file.path FROM file WHERE document_id IS NOT NULL AND NOT EXISTS"
    " (SELECT 1 FROM document WHERE document.id = file.document_id AND document.path = file.path)"
)


def _manifest(database: Database) -> Iterator[Finding]:
    paths = database.column(UNLISTED)
    yield _result("manifest", paths, "files disagree with their documents", "lists every document")


# ---------------------------------------------------------------- journals


def _journal(database: Database, *, journal: Journal) -> Iterator[Finding]:
    reading = journal.read(START)
    name = f"journal {journal.name}"
    for fault in reading.faults:
        hint = "Mend or remove that line; the others are in force."
        yield Finding(name, "warning", f"line {fault.line}: {fault.reason}", hint)
    written = {event.id for event in reading.events}
    applied = set(database.column("SELECT id FROM event WHERE journal = ?", (journal.name,)))
    yield _result(
        name,
        sorted(written ^ applied),
        "events are in the journal or the index, not in both",
        f"{len(written)} events, all applied",
    )


def _rulings(database: Database) -> Iterator[Finding]:
    wanted = {key: event.id for key, event in fold_rulings(events(database)).items()}
    found = {row[0]: row[1] for row in database.rows("SELECT pair_key, event_id FROM ruling")}
    wrong = sorted(key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key))
    yield _result("rulings", wrong, "rulings differ from their events", "follow from the events")
