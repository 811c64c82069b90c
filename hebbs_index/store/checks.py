"""What the contradiction check reads and writes: statements, slots, flagged pairs.

A check reads a state of the index, thinks without holding any lock, and saves what it
found only if that state is still the present one (`generation`). What is not yet
checked is written down, so that the next run does it whoever dies in between.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence

from hebbs_index.claims_json import claims_from_text
from hebbs_index.records import Guard, Judgement, Label, Signal, Statement
from hebbs_index.store.database import Database, Row, as_json
from hebbs_index.store.rows import FlaggedPair, Floor, Slot


def generation(database: Database) -> int:
    """A counter that moves on with every change of statements or vectors."""
    return database.number("SELECT value FROM meta WHERE key = 'generation'")


def unchecked(database: Database) -> list[int]:
    """Numbers of the statements still to be checked, ascending."""
    return database.column("SELECT id FROM statement WHERE checked = 0 ORDER BY id")


def check_settings(database: Database) -> str | None:
    """The key of the settings that the checks so far were made with."""
    value = database.value("SELECT value FROM meta WHERE key = 'check_settings'")
    return None if value is None else str(value)


def reset_checks(database: Database, settings: str) -> None:
    """Have every statement checked again, with another detector or other settings."""
    with database.write():
        database.run("INSERT OR REPLACE INTO meta VALUES ('check_settings', ?)", (settings,))
        database.run("UPDATE statement SET checked = 0")
        database.run("UPDATE slot SET dirty = 1")
        database.run("UPDATE meta SET value = value + 1 WHERE key = 'generation'")


_STATEMENT = (
    "SELECT statement.id, statement_key, declared_entity, text, claims, vector.id AS vector_id"
    " FROM statement LEFT JOIN vector"
    " ON vector.text_hash = statement.text_hash AND vector.gone = 0"
)


def statements(database: Database, numbers: Collection[int] | None = None) -> list[Statement]:
    """Statements by number, or all of them, ascending by number."""
    if numbers is None:
        return database.records(_statement, f"{_STATEMENT} ORDER BY statement.id")
    return database.records(
        _statement,
        f"{_STATEMENT} WHERE statement.id IN (SELECT value FROM json_each(?))"
        " ORDER BY statement.id",
        (as_json([int(number) for number in numbers]),),
    )


def statements_with_keys(database: Database, keys: Collection[str]) -> list[Statement]:
    """Statements that have one of these statement keys, ascending by number."""
    return database.records(
        _statement,
        f"{_STATEMENT} WHERE statement_key IN (SELECT value FROM json_each(?))"
        " ORDER BY statement.id",
        (as_json(sorted(keys)),),
    )


def _statement(row: Row) -> Statement:
    return Statement(
        id=row["id"],
        statement_key=row["statement_key"],
        declared_entity=row["declared_entity"] or None,
        text=row["text"],
        claims=claims_from_text(row["claims"]),
        vector_id=row["vector_id"],
    )


def statements_by_vector(
    database: Database, vector_ids: Collection[int] | None = None
) -> dict[int, list[int]]:
    """Which statements have each vector (of these, or of all live ones)."""
    sql = (
        "SELECT vector.id, statement.id FROM vector"
        " JOIN statement ON statement.text_hash = vector.text_hash WHERE vector.gone = 0"
    )
    parameters: tuple[str, ...] = ()
    if vector_ids is not None:
        sql += " AND vector.id IN (SELECT value FROM json_each(?))"
        parameters = (as_json([int(number) for number in vector_ids]),)
    found: dict[int, list[int]] = {}
    for row in database.rows(f"{sql} ORDER BY vector.id, statement.id", parameters):
        found.setdefault(row[0], []).append(row[1])
    return found


# ---------------------------------------------------------------- slots


def dirty_slots(database: Database) -> list[Slot]:
    """Slots whose members came or went since they were checked, with both sizes."""
    return database.records(
        lambda row: Slot(row["name"], row["checked_size"], row["size"]),
        "SELECT name, checked_size, (SELECT count(*) FROM statement_slot WHERE slot = name) AS size"
        " FROM slot WHERE dirty = 1 ORDER BY name",
    )


def slot_members(database: Database, slots: Collection[str]) -> dict[str, list[int]]:
    """The statements of each slot, ascending; a slot without any has an empty list."""
    members: dict[str, list[int]] = {slot: [] for slot in slots}
    for row in database.rows(
        "SELECT slot, statement_id FROM statement_slot"
        " WHERE slot IN (SELECT value FROM json_each(?)) ORDER BY slot, statement_id",
        (as_json(sorted(members)),),
    ):
        members[row[0]].append(row[1])
    return members


def slots_of(database: Database, numbers: Collection[int]) -> dict[int, list[str]]:
    """The slots of each of these statements, in order."""
    slots: dict[int, list[str]] = {int(number): [] for number in numbers}
    for row in database.rows(
        "SELECT statement_id, slot FROM statement_slot"
        " WHERE statement_id IN (SELECT value FROM json_each(?)) ORDER BY statement_id, slot",
        (as_json(sorted(slots)),),
    ):
        slots[row[0]].append(row[1])
    return slots


# ---------------------------------------------------------------- flagged pairs


def save_check(
    database: Database,
    expected: int,
    *,
    checked: Collection[int],
    touched: Collection[int],
    pending: Sequence[FlaggedPair],
    floors: Mapping[int, Floor | None],
    dropped: Collection[int],
    slot_sizes: Mapping[str, int],
    now_us: int,
) -> bool:
    """Save what a check of generation `expected` found; False, and nothing written, if it is over.

    Flagged pairs of `touched` statements are replaced by `pending`; all others stay. A pair
    that was there before keeps the time at which it was found.
    """
    with database.write():
        if generation(database) != expected:
            return False
        found = _remove_pairs(database, touched)
        _insert_pairs(database, pending, found, now_us)
        database.step("check:pairs")
        _save_floors(database, floors, dropped)
        _save_slots(database, slot_sizes)
        database.run_many(
            "UPDATE statement SET checked = 1 WHERE id = ?", [(int(n),) for n in checked]
        )
        database.step("check:written")
    database.step("check:committed")
    return True


def _remove_pairs(database: Database, touched: Collection[int]) -> dict[str, int]:
    """Delete the pairs of these statements; when each was found."""
    numbers = as_json([int(number) for number in touched])
    found: dict[str, int] = {}
    for side in ("statement_a", "statement_b"):
        where = f"{side} IN (SELECT value FROM json_each(?))"
        for row in database.rows(
            f"SELECT pair_key, found_us FROM pending WHERE {where}", (numbers,)
        ):
            found[row[0]] = min(row[1], found.get(row[0], row[1]))
        database.run(f"DELETE FROM pending WHERE {where}", (numbers,))
    return found


def _insert_pairs(
    database: Database, pending: Sequence[FlaggedPair], found: Mapping[str, int], now_us: int
) -> None:
    database.run_many(
        "INSERT OR REPLACE INTO pending (statement_a, statement_b, pair_key, score, label,"
        " similarity, signals, guards, supersedes, found_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                int(pair.statement_a),
                int(pair.statement_b),
                pair.pair_key,
                pair.judgement.score,
                str(pair.judgement.label),
                pair.similarity,
                as_json([[s.name, s.span_a, s.span_b, s.detail] for s in pair.judgement.signals]),
                as_json([[guard.name, guard.detail] for guard in pair.judgement.guards]),
                pair.judgement.supersedes,
                found.get(pair.pair_key, pair.found_us or now_us),
            )
            for pair in pending
        ],
    )


def _save_floors(
    database: Database, floors: Mapping[int, Floor | None], dropped: Collection[int]
) -> None:
    database.run_many(
        "UPDATE vector SET floor_product = ?, floor_key = ? WHERE id = ?",
        [(*(floor or (None, None)), int(number)) for number, floor in floors.items()],
    )
    database.run_many(
        "DELETE FROM vector WHERE id = ? AND gone = 1", [(int(number),) for number in dropped]
    )


def _save_slots(database: Database, sizes: Mapping[str, int]) -> None:
    database.run_many(
        "UPDATE slot SET checked_size = ?, dirty = 0 WHERE name = ?",
        [(size, name) for name, size in sizes.items()],
    )
    database.run_many(
        "DELETE FROM slot WHERE name = ? AND NOT EXISTS"
        " (SELECT 1 FROM statement_slot WHERE slot = name)",
        [(name,) for name in sizes],
    )


def flagged_pairs(database: Database, *, open_only: bool = False) -> list[FlaggedPair]:
    """All flagged pairs, one for each pair key, or those without a ruling; by key.

    Where equal words with other claims or headings make several rows of one pair, the row
    with the highest score stands for it, ties by what the statements hold.
    """
    ruled = "WHERE pair_key NOT IN (SELECT pair_key FROM ruling_place)" if open_only else ""
    return database.records(
        _flagged,
        "SELECT * FROM (SELECT pending.*, row_number() OVER ("
        "   PARTITION BY pair_key ORDER BY score DESC, similarity DESC,"
        "   min(a.content_hash, b.content_hash), max(a.content_hash, b.content_hash)) AS place"
        " FROM pending JOIN statement AS a ON a.id = statement_a"
        f" JOIN statement AS b ON b.id = statement_b {ruled})"
        " WHERE place = 1 ORDER BY pair_key",
    )


def pairs_of(database: Database, numbers: Iterable[int]) -> list[FlaggedPair]:
    """Every flagged pair that one of these statements is part of."""
    wanted = as_json([int(number) for number in numbers])
    return database.records(
        _flagged,
        "SELECT * FROM pending WHERE statement_a IN (SELECT value FROM json_each(?1))"
        " OR statement_b IN (SELECT value FROM json_each(?1)) ORDER BY pair_key",
        (wanted,),
    )


def _flagged(row: Row) -> FlaggedPair:
    judgement = Judgement(
        label=Label(row["label"]),
        score=row["score"],
        signals=tuple(_signal(*parts) for parts in json.loads(row["signals"])),
        guards=tuple(Guard(name, detail) for name, detail in json.loads(row["guards"])),
        supersedes=row["supersedes"],
    )
    return FlaggedPair(
        pair_key=row["pair_key"],
        statement_a=row["statement_a"],
        statement_b=row["statement_b"],
        judgement=judgement,
        similarity=row["similarity"],
        found_us=row["found_us"],
    )


def _signal(name: str, span_a: list[int] | None, span_b: list[int] | None, detail: str) -> Signal:
    return Signal(name, _span(span_a), _span(span_b), detail)


def _span(value: list[int] | None) -> tuple[int, int] | None:
    if value is None:
        return None
    start, end = value
    return int(start), int(end)
