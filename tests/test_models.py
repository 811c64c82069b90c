"""A journal outlives its models: rulings made with them hold without them, and back again."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from doubles import SubmittingEmbedder

from hebbs_index.config import load_config
from hebbs_index.errors import ModelUnavailable
from hebbs_index.index import Hebbs
from hebbs_index.models import Models
from hebbs_index.reports import ContradictionVerdictInput

FULL: dict[str, object] = {}
BARE = {"language.enabled": False, "embedding.enabled": False}


def open_with(root, flags):
    config = load_config(root, flags=flags)
    return Hebbs.open(root, root=root, create=True, config=config)


def index(root, flags):
    with open_with(root, flags) as hebbs:
        report = hebbs.index()
        status = hebbs.status()
        return report, status, hebbs.contradictions("ruled"), hebbs.contradiction_prepare()


@pytest.fixture
def ruled(corpus):
    """A corpus with four conflicts, all ruled on with both models at work."""
    corpus.write(
        "a.md",
        "The gateway allows 100 requests per minute, and the console is written in Go.\n\n"
        "The budget of the northern office is $5,000.\n\n"
        "The archive is safe.\n\n| System | Read cap |\n|---|---|\n| Ledger | 300 ops/s |\n",
    )
    corpus.write(
        "b.md",
        "The gateway allows 300 requests per minute.\n\n"
        "The budget of the northern office is $2,000.\n\n"
        "The archive is unsafe.\n\n| System | Read cap |\n|---|---|\n| Ledger | 900 ops/s |\n",
    )
    with open_with(corpus.root, FULL) as hebbs:
        hebbs.index()
        pending = hebbs.contradiction_prepare()
        verdicts = ["contradiction", "revision", "dismiss", "contradiction"]
        assert len(pending) >= 4
        hebbs.contradiction_commit(
            [
                ContradictionVerdictInput(item.pending_id, verdicts[number % 4], 0.9, "read both")
                for number, item in enumerate(pending)
            ]
        )
        assert hebbs.contradiction_prepare() == ()
        return corpus.root, len(pending)


@pytest.mark.model
def test_rulings_survive_a_move_to_no_models_and_back(ruled, nlp, embedder):
    root, count = ruled
    journal = (root / ".hebbs" / "verdicts.jsonl").read_bytes()

    report, status, kept, pending = index(root, BARE)
    assert len(report.off) == 2
    assert sum(status.rulings.values()) + status.unmatched_rulings == count
    assert pending == ()
    assert len(kept) >= 3

    report, status, kept, pending = index(root, FULL)
    assert report.off == ()
    assert (len(kept), pending, status.unmatched_rulings) == (count, (), 0)
    assert (root / ".hebbs" / "verdicts.jsonl").read_bytes() == journal


@pytest.mark.model
def test_without_models_the_index_still_answers(corpus):
    corpus.write("a.md", "The archive closes at noon.\n")
    with open_with(corpus.root, BARE) as hebbs:
        report = hebbs.index()
        assert len(report.off) == 2
        assert hebbs.recall("archive")[0].content == "The archive closes at noon."
        assert {f.name for f in hebbs.doctor() if f.level in ("warning", "note")} >= {
            "language model",
            "embedding model",
        }


# ---------------------------------------------------------------- which model, and when


def models_with(**flags: object) -> Models:
    return Models(load_config(Path(), flags=flags, environ={}))


def test_what_decides_the_analysis_shows_in_its_version():
    plain = models_with().analysis_version()
    assert models_with().analysis_version() == plain
    assert models_with(**{"language.enabled": False}).analysis_version() != plain
    assert models_with(**{"corpus.entity_folders": ["people"]}).analysis_version() != plain


@pytest.mark.parametrize("name", ["no_such_model", "no.such.model", "no such model"])
def test_a_language_model_that_is_not_there_is_missing_and_no_error(name):
    models = models_with(**{"language.model": name})
    assert models.language_missing()
    assert "blank" in models.language_version()
    assert not models.language().has_parser
    assert any(name in sentence for sentence in models.off())


def test_a_package_that_is_no_language_model_is_named():
    with pytest.raises(ModelUnavailable, match="json"):
        models_with(**{"language.model": "json"}).language()


def test_what_is_switched_off_is_said_in_a_sentence_each():
    models = models_with(**BARE)
    assert models.embedder() is None
    language, embedding = models.off()
    assert "is switched off" in language
    assert "search is by words only" in embedding
    assert models.counts() == (0, 0)


def test_threads_that_ask_at_once_load_a_model_once(monkeypatch):
    loads, ready = [], threading.Barrier(4)

    def open_embedder(_settings):
        loads.append(1)
        return SubmittingEmbedder()

    monkeypatch.setattr("hebbs_index.layers.embed.open_embedder", open_embedder)
    models = models_with()

    def ask(_number: int) -> object:
        ready.wait(timeout=20)
        return models.embedder()

    with ThreadPoolExecutor(4) as pool:
        assert len({id(embedder) for embedder in pool.map(ask, range(4))}) == 1
    assert loads == [1]
    models.close()
    models.embedder()
    assert loads == [1, 1], "closing lets go; asking again loads anew"
