"""Status, list and inspect say what the index holds, and load no model for it."""

from __future__ import annotations

import pytest
from doubles import open_small

from hebbs_index.errors import InputError
from hebbs_index.reports import ContradictionVerdictInput as Verdict


@pytest.fixture
def hebbs(corpus):
    corpus.write(
        "a.md",
        "---\ndate: 2026-02-01\nentity_id: Acme Corp\n---\n# Plan\n\n"
        "The tenant budget is $5,000. See [the rest](b.md).\n",
    )
    corpus.write("b.md", "# Rest\n\nThe keys hang beside the door.\n")
    with open_small(corpus.root) as opened:
        opened.index()
        yield opened


def test_status_counts_what_is_there(hebbs):
    status = hebbs.status()
    assert (status.documents, status.unchecked, status.pending) == (2, 0, 0)
    assert status.propositions == sum(row.propositions for row in hebbs.list_documents())
    assert status.edges["proposition_of"] == status.propositions
    assert status.edges["related_to"] == 1
    assert status.last_run["files_analyzed"] == 2
    assert status.watcher is None
    assert status.models["embedding"] == status.models["embedded_with"] == "test-words-64"
    assert any("switched off" in sentence for sentence in status.off)


def test_a_list_gives_each_document_by_path_with_what_its_file_states(hebbs):
    first, second = hebbs.list_documents()
    assert (first.path, first.title, first.entity, first.date) == (
        "a.md",
        "Plan",
        "Acme Corp",
        "2026-02-01",
    )
    assert (second.path, second.entity, second.problem) == ("b.md", None, None)


def test_a_list_names_files_without_a_document_and_why(corpus, hebbs):
    corpus.write("binary.md", bytes(range(256)) * 20)
    hebbs.index()
    (row,) = [row for row in hebbs.list_documents() if row.path == "binary.md"]
    assert row.document_id == ""
    assert row.problem
    assert [row.path for row in hebbs.list_documents(["b.md"])] == ["b.md"]


def test_inspecting_a_path_gives_the_document_and_then_its_statements(hebbs):
    document, statement = hebbs.inspect("b.md")
    assert (document.kind, document.document_id) == ("document", None)
    assert (statement.kind, statement.document_id) == ("proposition", document.memory_id)
    assert statement.source.heading == ("Rest",)
    assert (document.importance, statement.importance) == (0.6, 0.5)


def test_edges_are_told_from_the_memory_that_is_looked_at(hebbs):
    document, statement = hebbs.inspect("b.md")
    kinds = {(edge.kind, edge.direction, edge.memory_id) for edge in document.edges}
    assert ("proposition_of", "in", statement.memory_id) in kinds
    (other,) = [edge for edge in document.edges if edge.kind == "related_to"]
    assert (other.direction, other.content) == ("both", "a.md")
    (edge,) = statement.edges
    assert (edge.kind, edge.direction, edge.memory_id) == (
        "proposition_of",
        "out",
        document.memory_id,
    )


def test_a_claim_is_told_in_words_and_only_what_it_says(hebbs):
    statement = next(view for view in hebbs.inspect("a.md:7") if "budget" in view.content)
    (claim, *_) = statement.claims
    assert claim["polarity"] == "affirms"
    assert any(quantity["value"] == 5000 for quantity in claim["quantities"])
    assert all(value for value in claim.values() if value != ())


def test_what_contests_or_supersedes_a_memory_is_told(corpus, hebbs):
    corpus.write("c.md", "---\nentity_id: Acme Corp\n---\nThe tenant budget is $2,000.\n")
    hebbs.index()
    (pair,) = hebbs.contradiction_prepare()
    hebbs.contradiction_commit([Verdict(pair.pending_id, "contradiction")])
    assert hebbs.inspect(pair.memory_id_a)[0].contested_by == (pair.memory_id_b,)
    hebbs.contradiction_commit([Verdict(pair.pending_id, "revision", overrule=True)])
    assert hebbs.inspect(pair.memory_id_a)[0].superseded_by == (pair.memory_id_b,)
    assert hebbs.inspect(pair.memory_id_b)[0].superseded_by == ()


@pytest.mark.parametrize("target", ["", "nothing", "a.md:999", "gone.md", "ffffffffffff", "a"])
def test_a_name_of_nothing_is_refused_with_a_sentence(hebbs, target):
    with pytest.raises(InputError):
        hebbs.inspect(target)
