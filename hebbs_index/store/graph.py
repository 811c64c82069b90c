"""Write what was derived from a file: one transaction, the manifest row last.

Propositions are merged by id: those that stay keep their row, those whose words
moved are updated, the rest come and go. `database.step` is called at each point where a
process might die.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

from hebbs_index import ids
from hebbs_index.records import Document, FileAnalysis, Link, Proposition, Seen
from hebbs_index.store import manifest
from hebbs_index.store.database import Database, as_json
from hebbs_index.store.rows import FileChange
from hebbs_index.store.statements import put_statements, sweep

Entry = tuple[int, str]  # a proposition's row number and id

_PROPOSITION = (
    "statement_id",
    "ordinal",
    "occurrence",
    "text",
    "own_text",
    "kind",
    "start",
    "end",
    "line_start",
    "line_end",
    "heading_path",
    "sentence_key",
    "entity",
    "entity_key",
    "date",
    "date_basis",
    "asserted",
    "importance",
)


def write_file(
    database: Database,
    seen: Seen,
    analysis: FileAnalysis,
    document_id: str,
    vectors: Mapping[str, bytes],
) -> FileChange:
    """Make the records of a file those of its analysis, all or nothing."""
    with database.write():
        database.step("file:begun")
        _make_room(database, seen.path, document_id)
        _put_document(database, document_id, analysis.document)
        database.step("file:document")
        statements = put_statements(database, analysis.propositions, vectors)
        database.step("file:statements")
        change, entries = _merge(database, document_id, analysis.propositions, statements)
        database.step("file:propositions")
        _put_relations(database, document_id, analysis, entries)
        _put_links(database, document_id, analysis.document.path, analysis.links)
        database.step("file:links")
        sweep(database)
        database.step("file:swept")
        manifest.put_file(
            database,
            seen,
            document_id=document_id,
            version=analysis.version,
            found=analysis.problems,
        )
        database.step("file:manifest")
    database.step("file:committed")
    return change


def _make_room(database: Database, path: str, document_id: str) -> None:
    """Let the document be at this path alone: another one there goes, its own old path is freed."""
    database.run("DELETE FROM document WHERE path = ? AND id <> ?", (path, document_id))
    database.run("DELETE FROM file WHERE document_id = ? AND path <> ?", (document_id, path))


# ---------------------------------------------------------------- documents


def document_names(path: str, title: str) -> tuple[str, str, str]:
    """What links call a document: path without suffix, file name and title, both folded."""
    bare_path = posixpath.splitext(path)[0]
    return bare_path, folded_name(posixpath.basename(bare_path)), folded_name(title)


def folded_name(name: str) -> str:
    """A wiki name as it is compared."""
    return ids.fold_space(name).casefold()


def _put_document(database: Database, document_id: str, document: Document) -> None:
    database.run(
        "INSERT INTO document (id, path, bare_path, bare_name, title_name, title, text, format,"
        " encoding, content_hash, entity, front_matter, date, date_basis, importance)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET path = excluded.path, bare_path = excluded.bare_path,"
        " bare_name = excluded.bare_name, title_name = excluded.title_name,"
        " title = excluded.title, text = excluded.text, format = excluded.format,"
        " encoding = excluded.encoding, content_hash = excluded.content_hash,"
        " entity = excluded.entity, front_matter = excluded.front_matter, date = excluded.date,"
        " date_basis = excluded.date_basis, importance = excluded.importance",
        (
            document_id,
            document.path,
            *document_names(document.path, document.title),
            document.title,
            document.text,
            document.format,
            document.encoding,
            document.content_hash,
            document.entity,
            as_json(dict(document.front_matter)),
            document.dated.date,
            document.dated.basis,
            document.importance,
        ),
    )


def link_end(path: str, link: Link) -> tuple[str | None, str | None]:
    """Where a link of the document at `path` leads: a path seen from the root, or a wiki name.

    Both are None for what is no file of the corpus: another site, an anchor of the same file,
    a path that leaves the root.
    """
    target = link.target.strip()
    if not target or target.startswith("//") or _has_scheme(target):
        return None, None
    if link.wiki and "/" not in target:
        return None, folded_name(target)
    base = "" if link.wiki or target.startswith("/") else posixpath.dirname(path)
    place = posixpath.normpath(posixpath.join(base, target.lstrip("/")))
    return (None, None) if place.startswith("..") or place == "." else (place, None)


def _has_scheme(target: str) -> bool:
    scheme, colon, _rest = target.partition(":")
    return bool(colon) and scheme.replace("+", "").replace("-", "").isalnum() and len(scheme) > 1


def _put_links(database: Database, document_id: str, path: str, links: Sequence[Link]) -> None:
    database.run("DELETE FROM link WHERE document_id = ?", (document_id,))
    database.run_many(
        "INSERT INTO link (document_id, ordinal, target, anchor, wiki, place, name)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (document_id, n, link.target, link.anchor, int(link.wiki), *link_end(path, link))
            for n, link in enumerate(links)
        ),
    )


# ---------------------------------------------------------------- propositions


def _values(proposition: Proposition, ordinal: int, statement: int) -> tuple[object, ...]:
    span = proposition.span
    return (
        statement,
        ordinal,
        proposition.occurrence,
        proposition.text,
        proposition.own_text,
        proposition.kind,
        span.start,
        span.end,
        span.line_start,
        span.line_end,
        as_json(list(proposition.heading_path)),
        proposition.sentence_key,
        proposition.entity,
        ids.fold_entity(proposition.entity or ""),
        proposition.dated.date,
        proposition.dated.basis,
        int(proposition.asserted),
        proposition.importance,
    )


def _merge(
    database: Database,
    document_id: str,
    propositions: Sequence[Proposition],
    statements: Sequence[int],
) -> tuple[FileChange, list[Entry]]:
    """Bring the document's propositions up to date by id."""
    columns = ", ".join(("rowid", "id", *_PROPOSITION))
    rows = database.rows(
        f"SELECT {columns} FROM proposition WHERE document_id = ? ORDER BY ordinal", (document_id,)
    )
    before = {row["id"]: tuple(row) for row in rows}
    entries: list[Entry] = []
    added: list[str] = []
    for ordinal, (item, statement) in enumerate(zip(propositions, statements, strict=True)):
        memory = ids.proposition_id(document_id, item.statement_key, item.occurrence)
        values = _values(item, ordinal, statement)
        old = before.get(memory)
        if old is None:
            entries.append((_insert(database, document_id, memory, values), memory))
            added.append(memory)
        else:
            entries.append((old[0], memory))
            _update(database, old, values)
    now = {memory for _row, memory in entries}
    removed = tuple(memory for memory in before if memory not in now)
    database.run_many("DELETE FROM proposition WHERE id = ?", ((memory,) for memory in removed))
    _put_mentions(database, document_id, propositions, entries)
    kept = tuple(memory for _row, memory in entries if memory in before)
    return FileChange(tuple(added), kept, removed), entries


def _insert(database: Database, document_id: str, memory: str, values: tuple[object, ...]) -> int:
    marks = ", ".join("?" * (len(_PROPOSITION) + 2))
    return database.insert(
        f"INSERT INTO proposition (document_id, id, {', '.join(_PROPOSITION)}) VALUES ({marks})",
        (document_id, memory, *values),
    )


def _update(database: Database, old: tuple[object, ...], values: tuple[object, ...]) -> None:
    if old[2:] != values:
        settings = ", ".join(f"{name} = ?" for name in _PROPOSITION)
        database.run(f"UPDATE proposition SET {settings} WHERE rowid = ?", (*values, old[0]))


def _put_mentions(
    database: Database,
    document_id: str,
    propositions: Sequence[Proposition],
    entries: Sequence[Entry],
) -> None:
    """Write the mentions of those propositions whose mentions changed."""
    before: dict[int, list[tuple[object, ...]]] = {}
    for row in database.rows(
        "SELECT proposition, mention.entity, name, label, mention.start, mention.end FROM mention"
        " JOIN proposition ON proposition.rowid = mention.proposition"
        " WHERE proposition.document_id = ? ORDER BY proposition, mention.ordinal",
        (document_id,),
    ):
        before.setdefault(row[0], []).append(tuple(row)[1:])
    for (number, _memory), item in zip(entries, propositions, strict=True):
        now: list[tuple[object, ...]] = [
            (m.entity, m.name, m.label, m.start, m.end) for m in item.mentions
        ]
        if now != before.get(number, []):
            database.run("DELETE FROM mention WHERE proposition = ?", (number,))
            database.run_many(
                "INSERT INTO mention VALUES (?, ?, ?, ?, ?, ?, ?)",
                ((number, n, *values) for n, values in enumerate(now)),
            )


def _put_relations(
    database: Database, document_id: str, analysis: FileAnalysis, entries: Sequence[Entry]
) -> None:
    database.run("DELETE FROM relation WHERE document_id = ?", (document_id,))
    database.run_many(
        "INSERT INTO relation VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (
                document_id,
                n,
                relation.subject,
                relation.predicate,
                relation.object,
                entries[relation.source][0],
                entries[relation.target][0],
            )
            for n, relation in enumerate(analysis.relations)
        ),
    )
