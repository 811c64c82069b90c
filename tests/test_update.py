"""An update does what the files ask for, and no more than that."""

from __future__ import annotations

import os
from concurrent.futures import Future

import pytest
from doubles import SubmittingEmbedder, open_small

from hebbs_index.errors import CorpusVanished, InputError, ModelUnavailable
from hebbs_index.index import Hebbs
from hebbs_index.reports import ContradictionVerdictInput
from hebbs_index.update import Request, update


@pytest.fixture
def hebbs(corpus):
    with open_small(corpus.root) as opened:
        yield opened


def contents(hebbs: Hebbs) -> dict[str, str]:
    """Memory ids of all propositions, by text."""
    return {
        view.content: view.memory_id
        for row in hebbs.list_documents()
        if row.document_id
        for view in hebbs.inspect(row.path)
        if view.kind == "proposition"
    }


def rule(hebbs: Hebbs, verdict: str) -> str:
    (pending,) = hebbs.contradiction_prepare()
    hebbs.contradiction_commit([ContradictionVerdictInput(pending.pending_id, verdict)])
    return pending.pending_id


BUDGET = "The tenant budget is ${}.\n"


def test_a_second_run_reads_nothing_and_runs_no_model(corpus, hebbs):
    for number in range(20):
        path = corpus.write(f"n{number}.md", f"Note {number} is kept in drawer {number}.\n")
        os.utime(path, ns=(10**18, 10**18))
    hebbs.index()
    age_the_change_times(hebbs)
    counters = hebbs.index().counters
    assert (counters.files_seen, counters.files_read, counters.files_analyzed) == (20, 0, 0)
    assert (counters.language_texts, counters.embedded_texts, counters.pairs_judged) == (0, 0, 0)


def age_the_change_times(hebbs: Hebbs) -> None:
    """As if the index had been made long after the files were written."""
    store = hebbs._workspace.store
    with store.transaction():
        store.database.run("UPDATE file SET read_at_ns = read_at_ns + 10000000000")


def test_editing_one_paragraph_embeds_that_paragraph_alone(corpus, hebbs):
    paragraphs = [f"Drawer {number} holds the letters of year {number}." for number in range(10)]
    corpus.write("a.md", "\n\n".join(paragraphs))
    hebbs.index()
    before = contents(hebbs)
    paragraphs[4] = "Drawer 4 is empty now."
    corpus.write("a.md", "\n\n".join(paragraphs))
    report = hebbs.index()
    after = contents(hebbs)
    assert report.counters.embedded_texts == 1
    assert (report.propositions_added, report.propositions_removed) == (1, 1)
    assert {t: i for t, i in after.items() if t in before} == {
        t: i for t, i in before.items() if t in after
    }


def test_a_line_added_above_moves_the_places_and_nothing_else(corpus, hebbs):
    corpus.write("a.md", BUDGET.format("5,000"))
    corpus.write("b.md", BUDGET.format("2,000"))
    hebbs.index()
    pending_id = rule(hebbs, "dismiss")
    corpus.write("a.md", "# Budgets\n\n" + BUDGET.format("5,000"))
    report = hebbs.index()
    assert report.counters.embedded_texts == 0
    assert hebbs.contradiction_prepare() == ()
    assert [view.pending_id for view in hebbs.contradictions("ruled")] == [pending_id]
    (view,) = hebbs.inspect("a.md:3")
    assert view.content == BUDGET.format("5,000").strip()


@pytest.mark.parametrize(
    ("old", "new", "read_again"),
    [("a.md", "kept/renamed.md", 1), ("notes", "archive/old notes", 0)],
)
def test_a_rename_embeds_nothing_and_keeps_ids_and_verdicts(corpus, hebbs, old, new, read_again):
    # A file without a title is titled after its name, so a new name means a new title.
    corpus.write("a.md", BUDGET.format("5,000") + "\nIt was agreed in spring.\n")
    corpus.write("notes/b.md", BUDGET.format("2,000") + "\nIt was agreed in autumn.\n")
    hebbs.index()
    rule(hebbs, "contradiction")
    before = contents(hebbs)
    corpus.rename(old, new)
    report = hebbs.index()
    assert len(report.plan.moved) == 1
    assert report.counters.embedded_texts == 0
    assert report.counters.files_analyzed == read_again
    assert contents(hebbs) == before
    assert hebbs.contradiction_prepare() == ()
    assert hebbs.status().edges["contradicts"] == 1
    assert hebbs.status().edges["proposition_of"] == len(before)


def test_a_move_into_an_entity_folder_takes_its_entity(corpus, hebbs):
    corpus.write("a.md", BUDGET.format("5,000") + "\nIt was agreed in spring.\n")
    hebbs.index()
    corpus.rename("a.md", "entities/Acme Corp/a.md")
    hebbs.index()
    (row,) = hebbs.list_documents()
    assert row.entity == "Acme Corp"
    assert all(view.entity_id == "Acme Corp" for view in hebbs.inspect(row.path))


def test_deleting_a_file_removes_what_came_from_it_and_nothing_else(corpus, hebbs):
    corpus.write("a.md", BUDGET.format("5,000"))
    corpus.write("b.md", BUDGET.format("2,000"))
    corpus.write("c.md", "The archive is in the cellar.\n")
    hebbs.index()
    assert hebbs.status().pending == 1
    kept = contents(hebbs)
    corpus.delete("b.md")
    report = hebbs.index()
    status = hebbs.status()
    assert report.plan.deleted == ("b.md",)
    assert (status.documents, status.pending, status.vectors) == (2, 0, 2)
    assert contents(hebbs) == {t: i for t, i in kept.items() if "2,000" not in t}
    assert hebbs.verify().healthy


def test_a_dry_run_prints_the_plan_and_changes_nothing(corpus, hebbs):
    corpus.write("a.md", BUDGET.format("5,000"))
    report = hebbs.index(dry_run=True)
    assert report.plan.added == ("a.md",)
    assert hebbs.status().documents == 0


def test_a_suddenly_empty_folder_stops_the_run(corpus, hebbs):
    corpus.write("a.md", BUDGET.format("5,000"))
    corpus.write("b.md", BUDGET.format("2,000"))
    hebbs.index()
    corpus.delete("a.md")
    corpus.delete("b.md")
    with pytest.raises(CorpusVanished):
        hebbs.index()
    assert hebbs.status().documents == 2
    assert hebbs.index(allow_empty=True).documents == 0


def test_a_path_narrows_the_run(corpus, hebbs):
    corpus.write("a.md", BUDGET.format("5,000"))
    corpus.write("notes/b.md", BUDGET.format("2,000"))
    report = hebbs.index([corpus.path("notes")])
    assert report.plan.added == ("notes/b.md",)
    assert report.documents == 1


def test_a_narrowed_run_knows_a_file_that_moved_into_it_from_outside(corpus, hebbs):
    corpus.write("a.md", BUDGET.format("5,000"))
    corpus.write("b.md", BUDGET.format("2,000"))
    hebbs.index()
    before = {row.document_id for row in hebbs.list_documents()}
    corpus.rename("b.md", "kept/c.md")
    report = hebbs.index([corpus.path("kept")])
    assert report.plan.moved == {"kept/c.md": "b.md"}
    assert {row.document_id for row in hebbs.list_documents()} == before


def test_a_narrowed_run_refuses_to_believe_that_everything_is_gone(corpus, hebbs):
    corpus.write("notes/a.md", BUDGET.format("5,000"))
    corpus.write("notes/b.md", BUDGET.format("2,000"))
    hebbs.index()
    corpus.delete("notes")
    with pytest.raises(CorpusVanished):
        hebbs.index([corpus.path("notes")])
    assert hebbs.index([corpus.path("notes")], allow_empty=True).documents == 0


def test_a_path_that_names_nothing_is_refused(corpus, hebbs):
    corpus.write("a.md", BUDGET.format("5,000"))
    hebbs.index()
    with pytest.raises(InputError, match="nothing is indexed from there"):
        hebbs.index([corpus.path("nots")])
    corpus.delete("a.md")
    assert hebbs.index([corpus.path("a.md")]).plan.deleted == ("a.md",)


def test_a_name_that_is_no_text_leaves_its_file_out_and_is_not_tried_again(corpus, hebbs):
    corpus.write("good.md", BUDGET.format("5,000"))
    try:
        corpus.write(os.fsdecode(b"caf\xe9.md"), "The archive closes at noon.\n")
        corpus.write(os.fsdecode(b"fol\xffder/a.md"), "The archive closes at noon.\n")
    except OSError:
        pytest.skip("this file system has no such names")
    for expected in (("good.md",), ()):
        report = hebbs.index()
        assert (report.plan.added, report.plan.moved, report.documents) == (expected, {}, 1)
        assert len(report.problems) == 2
    assert hebbs.status().problems == report.problems
    request = Request((os.fsdecode(b"caf\xe9.md"),))  # as a watcher would ask
    assert update(hebbs._workspace, request).documents == 1
    assert hebbs.status().problems == report.problems


def test_each_problem_is_told_once(corpus, hebbs):
    corpus.write("binary.md", bytes(range(256)) * 20)
    corpus.write("header.md", "---\nname: [unclosed\n---\nThe archive is in the cellar.\n")
    for _run in range(2):
        problems = hebbs.index().problems
        assert len(problems) == len(set(problems)) == 2


def test_a_file_that_breaks_the_analysis_costs_only_itself_and_leaves_nothing_stale(
    corpus, hebbs, monkeypatch
):
    from hebbs_index import ingest
    from hebbs_index.records import FileProblem

    corpus.write("a.md", BUDGET.format("5,000"))
    corpus.write("b.md", BUDGET.format("2,000"))
    hebbs.index()
    analyze_files = ingest.analyze_files

    def break_on_a(parsed, *arguments, **options):
        for result in analyze_files(parsed, *arguments, **options):
            broken = result.document.path == "a.md"
            yield FileProblem("a.md", "analyze", "a bug") if broken else result

    monkeypatch.setattr(ingest, "analyze_files", break_on_a)
    corpus.write("a.md", BUDGET.format("7,000"))
    corpus.write("b.md", BUDGET.format("3,000"))
    report = hebbs.index()
    assert report.problems == (FileProblem("a.md", "analyze", "a bug"),)
    assert list(contents(hebbs)) == [BUDGET.format("3,000").strip()]
    assert hebbs.index().counters.files_analyzed == 0, "not tried again unchanged"
    assert hebbs.verify().healthy


class FailingEmbedder(SubmittingEmbedder):
    """A model that is found and then cannot be run."""

    def embed(self, texts):
        raise ModelUnavailable("the model failed")

    def submit(self, texts):
        future = Future()
        future.set_exception(ModelUnavailable("the model failed"))
        return future


def test_a_model_that_fails_costs_the_vectors_only_and_is_told_of_once(corpus):
    corpus.write("a.md", BUDGET.format("5,000"))
    corpus.write("b.md", BUDGET.format("2,000"))
    with open_small(corpus.root, embedder=FailingEmbedder()) as hebbs:
        report = hebbs.index()
        assert [(problem.stage, problem.reason) for problem in report.problems] == [
            ("embed", "the model failed")
        ]
        assert (report.documents, hebbs.status().vectors, hebbs.status().unchecked) == (2, 0, 0)
    with open_small(corpus.root) as hebbs:
        assert hebbs.index().counters.embedded_texts == 2
        assert hebbs.status().vectors == 2


def test_a_text_that_stands_in_two_windows_is_embedded_once(corpus, hebbs, monkeypatch):
    monkeypatch.setattr("hebbs_index.ingest.WINDOW", 1)
    for number in range(4):
        corpus.write(f"n{number}/same.md", BUDGET.format("5,000"))
    assert hebbs.index().counters.embedded_texts == 1
    assert hebbs.status().vectors == 1


def test_progress_counts_every_file_to_the_last(corpus, hebbs):
    for number in range(3):
        corpus.write(f"{number}.md", BUDGET.format(f"{number},000"))
    corpus.write("binary.md", bytes(range(256)) * 20)
    steps = []
    hebbs.index(progress=steps.append)
    analyzed = [(step.done, step.total) for step in steps if step.stage == "analyze"]
    assert analyzed == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert {step.stage for step in steps} <= {"scan", "analyze", "embed", "check"}


def test_a_file_with_bad_bytes_costs_itself_only_what_cannot_be_read(corpus, hebbs):
    corpus.write("good.md", BUDGET.format("5,000"))
    corpus.write("latin.md", "Das Budget beträgt 5.000 €, so der Träger.\n".encode("cp1252"))
    corpus.write("binary.md", bytes(range(256)) * 20)
    corpus.write("header.md", "---\nname: [unclosed\n---\nThe archive is in the cellar.\n")
    report = hebbs.index()
    assert {problem.path for problem in report.problems} >= {"binary.md", "header.md"}
    assert {row.path for row in hebbs.list_documents() if row.document_id} >= {
        "good.md",
        "header.md",
        "latin.md",
    }
    assert "The archive is in the cellar." in contents(hebbs)
    again = hebbs.index()
    assert {problem.path for problem in again.problems} >= {"binary.md", "header.md"}


def test_statements_indexed_without_vectors_get_them_later(corpus):
    corpus.write("a.md", BUDGET.format("5,000"))
    with open_small(corpus.root, **{"embedding.enabled": False}) as without:
        without._workspace.models._embedder = None
        report = without.index()
        assert report.off
        assert without.status().vectors == 0
        assert without.recall("tenant budget")[0].source.path == "a.md"
    with open_small(corpus.root) as full:
        assert full.index().counters.embedded_texts == 1
        assert full.status().vectors == 1


def test_another_model_means_embedding_anew_never_mixing(corpus, hebbs):
    corpus.write("a.md", BUDGET.format("5,000"))
    hebbs.index()
    other = SubmittingEmbedder()
    other.fingerprint = "another model"
    hebbs._workspace.models._embedder = other
    assert hebbs.index().counters.embedded_texts == 1
    assert hebbs.status().models["embedded_with"] == "another model"


def test_the_order_of_files_changes_no_pending_pair(tmp_path):
    texts = {
        "a.md": "The tenant budget is $5,000.\n\nThe gateway is reliable and stable.\n",
        "b.md": "The tenant budget is $2,000.\n\nThe read cap is 300 requests per second.\n",
        "c.md": "The gateway is unreliable and unstable.\n\nThe tenant budget is $9,000.\n",
        "d.md": "The read cap is 900 requests per second.\n",
    }
    found = []
    for order in (sorted(texts), sorted(texts, reverse=True)):
        root = tmp_path / order[0]
        root.mkdir()
        with open_small(root) as hebbs:
            for name in order:
                (root / name).write_text(texts[name])
                hebbs.index()
            found.append({(p.pending_id, p.label) for p in hebbs.contradiction_prepare()})
    assert found[0] == found[1]
    assert len(found[0]) >= 4
