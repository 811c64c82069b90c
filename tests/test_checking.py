"""A field that many documents give for themselves is no disagreement between them."""

from __future__ import annotations

import pytest
from doubles import open_small

from hebbs_index.checking import OWN_LIMIT

CHANNELS = ["harbor", "meadow", "quarry", "summit", "valley", "willow", "zephyr", "anchor"]


@pytest.fixture
def hebbs(corpus):
    with open_small(corpus.root) as opened:
        yield opened


def write_channels(corpus, count):
    for name in CHANNELS[:count]:
        corpus.write(f"{name}.md", f"---\ntitle: {name}\nowner: {name} Smith\n---\n\nText of it.\n")


def test_many_documents_with_a_field_of_their_own_do_not_disagree(corpus, hebbs):
    write_channels(corpus, OWN_LIMIT + 1)
    assert hebbs.index().pending == 0


def test_crossing_the_limit_either_way_gives_what_a_fresh_index_gives(corpus, hebbs, tmp_path):
    counts = []
    for count in (2, OWN_LIMIT + 2, 2):
        for name in CHANNELS:
            corpus.path(f"{name}.md").unlink(missing_ok=True)
        write_channels(corpus, count)
        hebbs.index(allow_empty=True)
        root = tmp_path / f"fresh{len(counts)}"
        root.mkdir()
        for path in corpus.root.glob("*.md"):
            (root / path.name).write_bytes(path.read_bytes())
        with open_small(root) as fresh:
            fresh.index()
            expected = {p.pending_id for p in fresh.contradiction_prepare()}
        assert {p.pending_id for p in hebbs.contradiction_prepare()} == expected
        counts.append(len(expected))
    assert counts[0] == counts[2]
    assert counts[1] == 0
