"""`Store`: the one door to the database, for everything above it.

It knows records, not models. Its methods may be called from any thread; each
thread has a connection of its own, and readers never wait for a writer. Every method
that writes is one transaction: it happens wholly or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

from hebbs_index.journal import Event, Journal, Position, Reading, prepare_folder
from hebbs_index.records import Edge, EdgeKind, FileAnalysis, FileProblem, Indexed, Seen, Statement
from hebbs_index.store import (
    checks,
    clearing,
    dump,
    edges,
    fulltext,
    graph,
    manifest,
    memories,
    moves,
    reviews,
    vector_rows,
)
from hebbs_index.store.database import Database, StepHook, as_json, remove_database, time_us
from hebbs_index.store.rows import (
    Counts,
    DocumentRow,
    EntityRow,
    FileChange,
    FlaggedPair,
    Floor,
    Memory,
    Ruling,
    Slot,
    Unembedded,
    Vectors,
)
from hebbs_index.store.schema import SCHEMA_VERSION

DATABASE = "index.sqlite3"


class Store:
    """The database of one index."""

    def __init__(self, database: Database, *, clock: Callable[[], int]) -> None:
        self.database = database
        self.clock = clock

    @classmethod
    def open(
        cls,
        directory: Path,
        *,
        clock: Callable[[], int] = time_us,
        on_step: StepHook | None = None,
    ) -> Store:
        """Open the store in the folder of an index (`.hebbs`), making both if need be.

        `clock` gives microseconds since the epoch. `on_step` is called with the name of each
        point reached inside a write and after it; it may raise, as a crash would.

        Raises StoreNewer or StoreDamaged (exit code 6), LockBusy, or HebbsError if the
        file cannot be opened.
        """
        prepare_folder(directory)
        return cls(Database(directory / DATABASE, on_step=on_step), clock=clock)

    @staticmethod
    def remove(directory: Path) -> None:
        """Delete the database in the folder of an index, for a rebuild from files and journals.

        The caller holds the write lock. Stores that are open, in any process, go on with the
        next database that is made there.
        """
        remove_database(directory / DATABASE)

    def close(self) -> None:
        """Close all connections; closing twice is harmless."""
        self.database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The database file."""
        return self.database.path

    @property
    def directory(self) -> Path:
        """The folder of the index."""
        return self.database.path.parent

    def identity(self) -> str:
        """A random name of this database: a cache of another one is none of ours."""
        return str(self.database.value("SELECT value FROM meta WHERE key = 'identity'"))

    @property
    def schema_version(self) -> int:
        """The version of the tables, which `open` has made the present one."""
        return SCHEMA_VERSION

    def snapshot(self) -> AbstractContextManager[None]:
        """Reads inside `with store.snapshot():` see one state; they must not write."""
        return self.database.snapshot()

    def transaction(self) -> AbstractContextManager[None]:
        """Writes inside `with store.transaction():` happen together or not at all."""
        return self.database.write()

    # ---------------------------------------------------------------- files

    def manifest(self) -> dict[str, Indexed]:
        """All files by path. The content hash is '' for a file that was never read."""
        return manifest.manifest(self.database)

    def problems(self) -> tuple[FileProblem, ...]:
        """What is wrong with which file, ordered by path."""
        return manifest.problems(self.database)

    def replace_skipped(
        self, skipped: Iterable[FileProblem], *, within: Sequence[str] = ()
    ) -> None:
        """Note what a scan of some places (or of everything) left out, and why."""
        manifest.replace_skipped(self.database, skipped, within=within)

    def touch(self, files: Sequence[Seen]) -> None:
        """Learn the new stat of files whose content is as before."""
        manifest.touch(self.database, files)

    def record_problem(
        self,
        seen: Seen,
        problems: Sequence[FileProblem],
        *,
        version: str = "",
        keep_records: bool = True,
    ) -> None:
        """Note what is wrong with a file, which keeps its records unless told otherwise.

        Without a content hash it also keeps the stat and hash it had. `version` is that of the
        analysis that failed: with the present one the file is not tried again unchanged.
        """
        moves.record_problem(
            self.database, seen, problems, version=version, keep_records=keep_records
        )

    def write_file(
        self,
        seen: Seen,
        analysis: FileAnalysis,
        document_id: str,
        vectors: Mapping[str, bytes] | None = None,
    ) -> FileChange:
        """Make the records of a file those of its analysis: one transaction, manifest row last.

        `vectors` maps text hashes (`ids.text_hash(embed_text)`) to vector bytes; those that the
        store has and those that no proposition needs are passed over. A document that is known
        at another path moves here; another document that stood at this path goes.
        """
        return graph.write_file(self.database, seen, analysis, document_id, vectors or {})

    def move_file(self, old_path: str, seen: Seen) -> None:
        """Give a file with unchanged content a new path; the document keeps its id."""
        moves.move_files(self.database, {old_path: seen})

    def move_files(self, new_places: Mapping[str, Seen]) -> None:
        """Move files, by old path, all at once, so that two may swap.

        A document that stood at a new path and is not moved itself goes. This is for unchanged
        content: a file that was rewritten too is left to be read again, and `write_file` with the
        id of its document does both at once.
        """
        moves.move_files(self.database, new_places)

    def delete_file(self, path: str) -> tuple[str, ...]:
        """Drop a file and all that came from it; the ids of the propositions that went."""
        return moves.delete_files(self.database, [path])

    # ---------------------------------------------------------------- vectors

    def missing_vectors(self, text_hashes: Collection[str]) -> set[str]:
        """Those of the texts that have no vector."""
        return vector_rows.missing_vectors(self.database, text_hashes)

    def unembedded(self) -> list[Unembedded]:
        """Texts of statements that have no vector, each once, ordered by text hash."""
        return vector_rows.unembedded(self.database)

    def add_vectors(self, vectors: Mapping[str, bytes]) -> None:
        """Give vectors to texts of statements, which are then to be checked again."""
        vector_rows.add_vectors(self.database, vectors)

    def embedding_fingerprint(self) -> str | None:
        """The embedding model that made the vectors, None before the first."""
        return vector_rows.fingerprint(self.database)

    def set_embedding_fingerprint(self, fingerprint: str) -> bool:
        """Say which model makes the vectors; whether that dropped those of another one."""
        return vector_rows.set_fingerprint(self.database, fingerprint)

    def load_vectors(self, *, gone: bool = False, after: int = 0) -> Vectors:
        """Live vectors numbered above `after`, ordered by text hash.

        With `gone` those whose text went since the last check instead.
        """
        return vector_rows.load_vectors(self.database, gone=gone, after=after)

    def count_vectors(self, *, up_to: int | None = None) -> int:
        """How many vectors are live, of all or of those numbered up to `up_to`."""
        return vector_rows.count_live(self.database, up_to=up_to)

    def vectors_by_id(self, ids: Collection[int]) -> Vectors:
        """The live ones among these vectors, ordered by text hash."""
        return vector_rows.vectors_by_id(self.database, ids)

    # ---------------------------------------------------------------- the check

    def generation(self) -> int:
        """A counter that moves on with every change of statements or vectors."""
        return checks.generation(self.database)

    def unchecked_statement_ids(self) -> list[int]:
        """Numbers of the statements still to be checked, ascending."""
        return checks.unchecked(self.database)

    def check_settings(self) -> str | None:
        """The key of the settings that the checks so far were made with."""
        return checks.check_settings(self.database)

    def reset_checks(self, settings: str) -> None:
        """Have everything checked again, with another detector or other settings."""
        checks.reset_checks(self.database, settings)

    def statements(self, ids: Collection[int] | None = None) -> list[Statement]:
        """Statements by number, or all of them, ascending."""
        return checks.statements(self.database, ids)

    def statements_with_keys(self, keys: Collection[str]) -> list[Statement]:
        """Statements that have one of these statement keys, ascending by number."""
        return checks.statements_with_keys(self.database, keys)

    def statements_by_vector(
        self, vector_ids: Collection[int] | None = None
    ) -> dict[int, list[int]]:
        """Which statements have each vector, of these or of all live ones."""
        return checks.statements_by_vector(self.database, vector_ids)

    def dirty_slots(self) -> list[Slot]:
        """Slots whose members came or went since they were checked, with both sizes."""
        return checks.dirty_slots(self.database)

    def slot_members(self, slots: Collection[str]) -> dict[str, list[int]]:
        """The statements of each slot, ascending."""
        return checks.slot_members(self.database, slots)

    def slots_of(self, statement_ids: Collection[int]) -> dict[int, list[str]]:
        """The slots of each of these statements."""
        return checks.slots_of(self.database, statement_ids)

    def save_check(
        self,
        generation: int,
        *,
        checked: Collection[int] = (),
        touched: Collection[int] = (),
        pending: Sequence[FlaggedPair] = (),
        floors: Mapping[int, Floor | None] | None = None,
        dropped: Collection[int] = (),
        slot_sizes: Mapping[str, int] | None = None,
    ) -> bool:
        """Save what a check found; False, and nothing written, if the index has moved on.

        Flagged pairs of `touched` statements are replaced by `pending`. `dropped` are gone
        vectors that were taken into account; `slot_sizes` the members of the slots checked.
        """
        return checks.save_check(
            self.database,
            generation,
            checked=checked,
            touched=touched,
            pending=pending,
            floors=floors or {},
            dropped=dropped,
            slot_sizes=slot_sizes or {},
            now_us=self.clock(),
        )

    def flagged_pairs(self, *, open_only: bool = False) -> list[FlaggedPair]:
        """Flagged pairs, one for each pair key: all, or those that no ruling settles."""
        return checks.flagged_pairs(self.database, open_only=open_only)

    def pairs_of(self, statement_ids: Iterable[int]) -> list[FlaggedPair]:
        """Every flagged pair, ruled or not, that one of these statements is part of."""
        return checks.pairs_of(self.database, statement_ids)

    # ---------------------------------------------------------------- reading

    def memories(self, ids: Collection[str]) -> dict[str, Memory]:
        """The documents and propositions among these ids."""
        return memories.memories(self.database, ids)

    def ids_starting_with(self, prefix: str, *, limit: int = 20) -> list[str]:
        """Ids of memories that start with some hex digits, ascending."""
        return memories.ids_starting_with(self.database, prefix, limit=limit)

    def memories_like(self, beginning: str) -> list[Memory]:
        """Memories whose id is, or starts with, some hex digits; at most 20, ascending by id."""
        return memories.memories_like(self.database, beginning)

    def has_document(self, path: str) -> bool:
        """Whether a document stands at a path."""
        return memories.has_document(self.database, path)

    def memories_at(self, path: str, line: int | None = None) -> list[Memory]:
        """What stands in a file: its document, then its propositions; or only those on a line."""
        return memories.memories_at(self.database, path, line)

    def occurrences(self, statement_ids: Collection[int]) -> dict[int, list[Memory]]:
        """Where each of these statements stands, by path and position."""
        return memories.occurrences(self.database, statement_ids)

    def statements_within(
        self, *, paths: Sequence[str] = (), entity: str | None = None
    ) -> set[int]:
        """Statements that stand in one of these files or folders and belong to this entity."""
        return memories.statements_within(self.database, paths=paths, entity=entity)

    def search_text(
        self, query: str, limit: int, *, paths: Sequence[str] = (), entity: str | None = None
    ) -> list[tuple[str, float]]:
        """Ids of the propositions that have words of a query, best first; higher is better."""
        return fulltext.search_text(self.database, query, limit, paths=paths, entity=entity)

    def documents(self) -> list[DocumentRow]:
        """All documents by path."""
        return memories.documents(self.database)

    def entities(self, *, limit: int | None = None) -> list[EntityRow]:
        """Entities, most mentioned first."""
        return memories.entities(self.database, limit=limit)

    def entities_of(self, memory_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The entities that each of these propositions mentions, in order."""
        return memories.entities_of(self.database, memory_ids)

    def edges_of(
        self,
        memory_ids: Collection[str] | None = None,
        kinds: Collection[EdgeKind] = tuple(EdgeKind),
    ) -> list[Edge]:
        """Edges of these kinds that touch one of these memories, or all; symmetric ones once."""
        return edges.edges_of(self.database, memory_ids, kinds)

    def counts(self) -> Counts:
        """How much the index holds."""
        return memories.counts(self.database)

    # ---------------------------------------------------------------- journals

    def journal_position(self, name: str) -> Position:
        """How much of a journal has been applied."""
        return reviews.journal_position(self.database, name)

    def apply_events(
        self, events: Sequence[Event], name: str, position: Position, *, anew: bool = False
    ) -> int:
        """Take in events of a journal; how many were new. `anew`: they are all there is."""
        return reviews.apply_events(self.database, events, name, position, anew=anew)

    def catch_up(self, journal: Journal) -> Reading:
        """Apply what a journal holds beyond what was applied; what was read of it.

        Nothing is written when there is nothing new.
        """
        before = self.journal_position(journal.name)
        reading = journal.read(before)
        if reading.anew or reading.position != before:
            self.apply_events(reading.events, journal.name, reading.position, anew=reading.anew)
        return reading

    def events(self, *, kinds: Collection[str] = (), journal: str | None = None) -> list[Event]:
        """Applied events, of these types or of all, of one journal or of all, by time."""
        return reviews.events(self.database, kinds=kinds, journal=journal)

    def rulings(self) -> list[Ruling]:
        """Every ruling in force, whether its texts still stand or not; last decided first."""
        return reviews.rulings(self.database)

    def rulings_by_pair(self) -> dict[str, Ruling]:
        """The ruling that settles each pair of present statements, by its pair key."""
        return reviews.rulings_by_pair(self.database)

    def clear(self) -> None:
        """Forget everything, the copy of the journals included: the first step of a rebuild."""
        clearing.clear(self.database)

    # ---------------------------------------------------------------- notes

    def get_meta(self, key: str) -> Any:
        """A note kept under a key, None if there is none."""
        text = self.database.value("SELECT value FROM meta WHERE key = ?", (f"note:{key}",))
        return None if text is None else self.database.decoded(json.loads, text)

    def set_meta(self, key: str, value: Any) -> None:
        """Keep a note (anything JSON can say) under a key."""
        with self.database.write():
            self.database.run(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"note:{key}", as_json(value))
            )

    def run_info(self) -> Mapping[str, Any]:
        """What was said of the last index run; empty before the first."""
        info: Mapping[str, Any] = self.get_meta("run") or {}
        return info

    def set_run(self, info: Mapping[str, Any]) -> None:
        """Say what there is to say of an index run."""
        self.set_meta("run", dict(info))

    def is_sound(self) -> bool:
        """Whether every page of the database is as it should be. May raise StoreDamaged."""
        return list(self.database.column("PRAGMA integrity_check(1)")) == ["ok"]

    def dump_derived(self) -> dict[str, Any]:
        """Everything derived, as plain sorted data, to compare two indexes."""
        return dump.dump_derived(self.database)
