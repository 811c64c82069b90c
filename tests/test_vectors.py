"""The vector cache answers rightly whatever has become of its file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_samples import DIMENSIONS, analysis, born, save_flags, seen, vector, vectors_of, write

from hebbs_index import ids
from hebbs_index.quantized import products, quantize, to_similarity
from hebbs_index.store import Store, VectorCache


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / ".hebbs") as opened:
        opened.set_embedding_fingerprint("test")
        yield opened


def add(store: Store, first: int, last: int, path: str = "") -> None:
    texts = [f"Statement number {n}." for n in range(first, last)]
    write(store, path or f"{first}.md", *texts)


def graph(store: Store) -> VectorCache:
    """A cache that uses its file from the first vector on."""
    return VectorCache(store.directory, store, exact_limit=0, threads=1)


def query(text: str = "anything") -> np.ndarray:
    return np.frombuffer(vector(text), dtype=np.float16)


def brute_force(store: Store, grid: np.ndarray, k: int) -> list[tuple[int, float]]:
    vectors = store.load_vectors()
    if not len(vectors):
        return []
    dots = products(grid[None], vectors.data)[0]
    order = sorted(range(len(dots)), key=lambda row: (-dots[row], vectors.text_hashes[row]))[:k]
    return [(int(vectors.ids[row]), to_similarity(float(dots[row]))) for row in order]


def test_an_exact_search_finds_the_nearest_and_needs_no_file(store: Store) -> None:
    add(store, 0, 50)
    cache = VectorCache(store.directory, store)

    assert cache.search(query(), 7) == brute_force(store, query(), 7)
    assert not cache.fold_in()
    assert not cache.path.exists()
    assert len(cache) == 50


def test_the_same_text_has_similarity_one(store: Store) -> None:
    add(store, 0, 5)
    target = store.load_vectors()

    (found,) = VectorCache(store.directory, store).search(target.data[2], 1)

    assert found[0] == target.ids[2]
    assert found[1] == pytest.approx(1, abs=0.001)


def test_a_unit_vector_is_put_on_the_grid_first(store: Store) -> None:
    add(store, 0, 20)
    cache = VectorCache(store.directory, store)
    unit = query().astype(np.float32) / 2000

    assert cache.search(unit, 3) == cache.search(quantize(unit[None])[0], 3)


def test_an_empty_index_finds_nothing(store: Store) -> None:
    assert VectorCache(store.directory, store).search(query(), 3) == []
    assert graph(store).search(query(), 3) == []
    assert not graph(store).fold_in()


def test_ties_go_by_text_hash(store: Store) -> None:
    given = analysis("a.md", *(f"Equal {n}." for n in range(9)))
    same = {key: vector("same") for key in vectors_of(given)}
    store.write_file(seen("a.md"), given, born("a.md"), same)

    found = VectorCache(store.directory, store).search(query(), 4)

    assert found == brute_force(store, query(), 4)


def test_the_file_finds_what_looking_at_all_finds(store: Store) -> None:
    add(store, 0, 400)
    cache = graph(store)
    assert cache.fold_in()

    for n in range(20):
        assert cache.search(query(str(n)), 5) == brute_force(store, query(str(n)), 5)
    assert cache.state()[0] == "ok"


def test_another_process_reads_the_file(store: Store) -> None:
    add(store, 0, 200)
    graph(store).fold_in()
    other = graph(store)

    assert other.search(query(), 5) == brute_force(store, query(), 5)
    assert other._graph is not None


def test_rows_after_the_file_are_found(store: Store) -> None:
    add(store, 0, 200)
    cache = graph(store)
    cache.fold_in()
    add(store, 200, 203)
    newest = store.load_vectors(after=200)

    (found,) = cache.search(newest.data[0], 1)

    assert found[0] == newest.ids[0]
    assert not cache.fold_in()  # three of two hundred are not worth it
    add(store, 203, 240)
    assert cache.fold_in()
    assert cache.search(query(), 5) == brute_force(store, query(), 5)


def test_vectors_that_are_gone_are_not_found(store: Store) -> None:
    add(store, 0, 100, "keep.md")
    add(store, 100, 200, "drop.md")
    cache = graph(store)
    cache.fold_in()
    store.delete_file("drop.md")

    assert cache.search(query(), 5) == brute_force(store, query(), 5)
    save_flags(store)  # drops the rows
    assert cache.search(query(), 5) == brute_force(store, query(), 5)
    assert cache.fold_in()  # half of the file is dead: it is built anew
    assert "holds 100 vectors" in cache.state()[1]


def test_a_vector_that_comes_back_is_found_again(store: Store) -> None:
    add(store, 0, 100, "keep.md")
    add(store, 100, 101, "drop.md")
    target = store.load_vectors(after=100)
    store.delete_file("drop.md")
    cache = graph(store)
    cache.fold_in()  # while it is gone

    add(store, 100, 101, "again.md")

    assert cache.search(target.data[0], 1)[0][0] == target.ids[0]


def test_a_flipped_bit_never_reaches_usearch(store: Store) -> None:
    add(store, 0, 100)
    graph(store).fold_in()
    path = store.directory / "vectors.usearch"
    good = path.read_bytes()
    expected = brute_force(store, query(), 5)

    for place in range(0, len(good), len(good) // 40):
        bad = bytearray(good)
        bad[place] ^= 0xFF
        path.write_bytes(bytes(bad))
        cache = graph(store)
        assert cache.search(query(), 5) == expected
        assert cache._graph is None
        assert cache.state()[0] == "warning"

    assert cache.fold_in()
    assert cache.state()[0] == "ok"
    assert cache.search(query(), 5) == expected


@pytest.mark.parametrize("damage", ["missing", "empty", "truncated", "record", "both", "text"])
def test_a_file_that_cannot_be_used_is_built_anew(store: Store, damage: str) -> None:
    add(store, 0, 100)
    graph(store).fold_in()
    path, record = store.directory / "vectors.usearch", store.directory / "vectors.json"
    if damage in ("missing", "both"):
        path.unlink()
    if damage == "empty":
        path.write_bytes(b"")
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:-10])
    if damage in ("record", "both"):
        record.unlink()
    if damage == "text":
        record.write_text('{"sha256": 3}')
    cache = graph(store)

    assert cache.search(query(), 5) == brute_force(store, query(), 5)
    assert cache.fold_in()
    assert cache.state()[0] == "ok"


def test_the_file_of_another_model_or_database_is_not_used(tmp_path: Path, store: Store) -> None:
    add(store, 0, 60)
    graph(store).fold_in()
    store.set_embedding_fingerprint("another")
    cache = graph(store)
    assert cache.search(query(), 5) == []
    assert cache.state()[0] == "note"

    with Store.open(tmp_path / "second") as second:
        second.set_embedding_fingerprint("test")
        add(second, 500, 560)
        for name in ("vectors.usearch", "vectors.json"):
            (second.directory / name).write_bytes((store.directory / name).read_bytes())
        other = graph(second)
        assert other.search(query(), 5) == brute_force(second, query(), 5)
        assert other._graph is None


def test_asking_for_most_of_them_looks_at_all(store: Store) -> None:
    add(store, 0, 100)
    cache = graph(store)
    cache.fold_in()

    assert cache.search(query(), 1000) == brute_force(store, query(), 1000)
    assert cache.search(query(), 0) == []


def test_dropping_the_file_is_harmless(store: Store) -> None:
    add(store, 0, 50)
    cache = graph(store)
    cache.fold_in()

    cache.drop()
    cache.drop()

    assert not cache.path.exists()
    assert cache.search(query(), 5) == brute_force(store, query(), 5)


def test_a_store_made_anew_is_seen_by_a_cache_that_is_open(store: Store) -> None:
    add(store, 0, 20)
    cache = VectorCache(store.directory, store)
    cache.search(query(), 3)

    Store.remove(store.directory)
    store.set_embedding_fingerprint("test")
    add(store, 100, 120)

    assert cache.search(query(), 3) == brute_force(store, query(), 3)


def test_recall_of_the_file_is_high_on_crowded_vectors(store: Store) -> None:
    """200 crowds of 10: near neighbours differ little, which is the hard case for a graph."""
    rng = np.random.default_rng(7)
    centres = rng.standard_normal((200, DIMENSIONS))
    points = np.repeat(centres, 10, axis=0) + 0.3 * rng.standard_normal((2000, DIMENSIONS))
    grid = quantize(points / np.linalg.norm(points, axis=1, keepdims=True))
    given = analysis("a.md", *(f"S {n}." for n in range(2000)))
    hashes = [ids.text_hash(p.embed_text) for p in given.propositions]
    rows = {key: row.tobytes() for key, row in zip(hashes, grid, strict=True)}
    store.write_file(seen("a.md"), given, born("a.md"), rows)
    cache = graph(store)
    cache.fold_in()

    found = wanted = 0
    for row in grid[::40]:
        exact = {number for number, _similarity in brute_force(store, row, 10)}
        found += len(exact & {number for number, _similarity in cache.search(row, 10)})
        wanted += 10

    assert found / wanted >= 0.98


steps = st.lists(
    st.tuples(st.sampled_from(["add", "drop", "check", "fold"]), st.integers(0, 5)), max_size=12
)


@settings(max_examples=30, deadline=None)
@given(steps)
def test_after_any_history_the_cache_agrees_with_the_rows(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, int]]
) -> None:
    with Store.open(tmp_path_factory.mktemp("cache")) as store:
        store.set_embedding_fingerprint("test")
        cache, reader = graph(store), graph(store)
        for kind, number in history:
            if kind == "add":
                add(store, number * 10, number * 10 + 12, f"{number}.md")
            elif kind == "drop":
                store.delete_file(f"{number}.md")
            elif kind == "check":
                save_flags(store)
            else:
                cache.fold_in(force=bool(number % 2))
            for one in (cache, reader):
                assert one.search(query(), 4) == brute_force(store, query(), 4)
