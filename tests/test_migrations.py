"""Opening a database: made once, moved forward step by step, refused with a sentence."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from store_samples import write

from hebbs_index.errors import HebbsError, StoreDamaged, StoreNewer
from hebbs_index.store import DATABASE, Store, migrations, schema


def version_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        connection.close()


def test_a_fresh_store_has_the_present_version(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        assert store.schema_version == schema.SCHEMA_VERSION

    assert version_of(tmp_path / DATABASE) == schema.SCHEMA_VERSION


def test_there_is_a_step_and_a_line_of_history_for_each_version() -> None:
    assert len(migrations.STEPS) == schema.SCHEMA_VERSION
    assert [step.__name__[:5] for step in migrations.STEPS] == [
        f"m{number:03}_" for number in range(1, schema.SCHEMA_VERSION + 1)
    ]
    assert f"    {schema.SCHEMA_VERSION}  " in str(schema.__doc__)


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        write(store, "a.md", "One.")
        before = store.identity(), store.dump_derived()

    with Store.open(tmp_path) as store:
        assert (store.identity(), store.dump_derived()) == before


def test_a_newer_database_is_refused_untouched(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    connection = sqlite3.connect(tmp_path / DATABASE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(StoreNewer, match="99") as caught:
        Store.open(tmp_path)

    assert caught.value.exit_code == 6
    assert version_of(tmp_path / DATABASE) == 99


@pytest.mark.parametrize("content", [b"this is no database, only a text" * 40, b"\0" * 8192])
def test_what_is_no_database_is_damage(tmp_path: Path, content: bytes) -> None:
    (tmp_path / DATABASE).write_bytes(content)

    with pytest.raises(StoreDamaged) as caught:
        Store.open(tmp_path)

    assert caught.value.exit_code == 6
    assert "rebuild" in caught.value.hint
    assert (tmp_path / DATABASE).read_bytes() == content


def test_somebody_elses_database_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / DATABASE)
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()

    with pytest.raises(StoreDamaged, match="not one of hebbs-index"):
        Store.open(tmp_path)


def test_a_database_that_lost_its_tables_is_damage(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / DATABASE)
    connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    connection.close()

    with pytest.raises(StoreDamaged):
        Store.open(tmp_path)


def test_a_step_that_dies_leaves_the_version_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Died(Exception):
        pass

    def m001_dies(connection: sqlite3.Connection) -> None:
        migrations.m001_first_tables(connection)
        raise Died

    with monkeypatch.context() as patched:
        patched.setattr(migrations, "STEPS", (m001_dies,))
        with pytest.raises(Died):
            Store.open(tmp_path)
        assert version_of(tmp_path / DATABASE) == 0

    with Store.open(tmp_path) as store:
        assert store.counts().documents == 0


def test_a_further_step_moves_an_older_database_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path) as store:
        write(store, "a.md", "One.")

    def m002_more(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE document ADD COLUMN more TEXT")

    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, m002_more))
    monkeypatch.setattr(migrations, "SCHEMA_VERSION", 2)
    with Store.open(tmp_path) as store:
        assert store.database.value("SELECT more FROM document") is None
        assert store.counts().propositions == 1

    assert version_of(tmp_path / DATABASE) == 2


def test_many_processes_may_open_a_new_index_at_once(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from hebbs_index.store import Store;"
        " Store.open(Path(sys.argv[1])).close()"
    )
    command = [sys.executable, "-c", script, str(tmp_path / ".hebbs")]
    running = [subprocess.Popen(command) for _ in range(4)]

    assert [process.wait(60) for process in running] == [0, 0, 0, 0]
    assert version_of(tmp_path / ".hebbs" / DATABASE) == schema.SCHEMA_VERSION


def test_another_process_may_make_the_tables_between_two_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "index.sqlite3"
    first, second = (sqlite3.connect(path, isolation_level=None) for _ in range(2))
    first.execute("PRAGMA journal_mode = WAL")
    look = migrations.user_version

    def look_and_be_overtaken(connection: sqlite3.Connection) -> int:
        version = look(connection)
        monkeypatch.setattr(migrations, "user_version", look)
        migrations.migrate(second, path)
        return version

    monkeypatch.setattr(migrations, "user_version", look_and_be_overtaken)
    migrations.migrate(first, path)

    assert look(first) == look(second) == schema.SCHEMA_VERSION
    first.close()
    second.close()


def test_a_database_that_cannot_be_opened_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / DATABASE).mkdir()

    with pytest.raises(HebbsError, match="cannot be opened"):
        Store.open(tmp_path)
