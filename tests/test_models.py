"""A journal outlives its models: rulings made with them hold without them, and back again."""

from __future__ import annotations

import pytest

from hebbs_index.config import load_config
from hebbs_index.index import Hebbs
from hebbs_index.reports import ContradictionVerdictInput

pytestmark = pytest.mark.model

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
