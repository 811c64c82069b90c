"""Statements: one row for all propositions that say the same with the same claims.

They come with the first such proposition and go with the last; the vector of a text that no
statement has any more is then marked `gone` for the next check. All of this happens inside
the transaction of whoever calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hebbs_index import ids
from hebbs_index.claims_json import claims_to_text
from hebbs_index.records import Proposition
from hebbs_index.store.database import Database
from hebbs_index.store.vector_rows import insert_vectors, mark_gone, mark_needed


def put_statements(
    database: Database, propositions: Sequence[Proposition], vectors: Mapping[str, bytes]
) -> list[int]:
    """The numbers of the propositions' statements; new ones are made, with their vectors."""
    hashes = [ids.text_hash(item.embed_text) for item in propositions]
    numbers = [
        _put_statement(database, item, text_hash)
        for item, text_hash in zip(propositions, hashes, strict=True)
    ]
    insert_vectors(database, {key: vectors[key] for key in hashes if key in vectors})
    return numbers


def _put_statement(database: Database, proposition: Proposition, text_hash: str) -> int:
    claims = claims_to_text(proposition.claims)
    declared = ids.fold_entity(proposition.declared_entity or "")
    content = ids.digest("content", proposition.text, proposition.embed_text, claims)
    found = database.value(
        "SELECT id FROM statement WHERE statement_key = ? AND declared_entity = ?"
        " AND content_hash = ?",
        (proposition.statement_key, declared, content),
    )
    if found is not None:
        return int(found)
    number = database.insert(
        "INSERT INTO statement (statement_key, declared_entity, content_hash, text, embed_text,"
        " text_hash, claims) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            proposition.statement_key,
            declared,
            content,
            proposition.text,
            proposition.embed_text,
            text_hash,
            claims,
        ),
    )
    slots = sorted({slot for claim in proposition.claims for slot in claim.slots})
    database.run_many("INSERT INTO statement_slot VALUES (?, ?)", [(number, s) for s in slots])
    mark_needed(database, text_hash)
    return number


def sweep(database: Database) -> None:
    """Drop statements without a proposition, and mark vectors without a statement."""
    orphans = database.rows(
        "SELECT id, text_hash FROM statement WHERE id IN (SELECT id FROM loose_statement)"
        " AND NOT EXISTS (SELECT 1 FROM proposition WHERE statement_id = statement.id)"
    )
    database.run_many("DELETE FROM statement WHERE id = ?", [(row["id"],) for row in orphans])
    mark_gone(database, {row["text_hash"] for row in orphans})
    database.run("DELETE FROM loose_statement")
