"""Pending pairs are shown for review, ruled on all or nothing, and a ruling lasts."""

from __future__ import annotations

import json

import pytest
from doubles import open_small

from hebbs_index.errors import InputError, VerdictError
from hebbs_index.index import Hebbs
from hebbs_index.records import PendingContradiction, VerdictKind
from hebbs_index.reports import ContradictionVerdictInput as Verdict

OLD = "The tenant budget is $5,000."
NEW = "The tenant budget is $2,000."
JANUARY = f"---\ndate: 2026-01-05\n---\n{OLD}\n"
MARCH = f"---\ndate: 2026-03-09\n---\n{NEW}\n"


@pytest.fixture
def hebbs(corpus):
    """One pair, the older statement in z.md, the newer in a.md."""
    corpus.write("z.md", JANUARY)
    corpus.write("a.md", MARCH)
    with open_small(corpus.root) as opened:
        opened.index()
        yield opened


@pytest.fixture
def several(corpus):
    """Three pairs, none of whose files says when it was written."""
    corpus.write("a.md", f"{OLD}\n\nThe gateway is reliable and stable.\n\n{{caps}}\n")
    corpus.write("b.md", f"{NEW}\n\nThe gateway is unreliable and unstable.\n")
    corpus.write("c.md", "The report was delivered on schedule.\n")
    corpus.write("d.md", "The report was not delivered on schedule.\n")
    with open_small(corpus.root) as opened:
        opened.index()
        assert len(opened.contradiction_prepare()) == 3
        yield opened


def the_pair(hebbs: Hebbs) -> PendingContradiction:
    (pair,) = hebbs.contradiction_prepare()
    return pair


def edges(hebbs: Hebbs) -> dict[str, int]:
    kinds = hebbs.status().edges
    return {kind: kinds[kind] for kind in ("contradicts", "revised_from") if kind in kinds}


# ---------------------------------------------------------------- prepare


def test_the_older_statement_is_a_and_each_side_has_its_place_and_words(hebbs):
    pair = the_pair(hebbs)
    assert (pair.content_a_snippet, pair.content_b_snippet) == (OLD, NEW)
    assert (pair.source_a.path, pair.source_a.line_start, pair.source_a.date) == (
        "z.md",
        4,
        "2026-01-05",
    )
    assert pair.source_b.path == "a.md"
    assert pair.date_basis == "front matter"
    signal = next(signal for signal in pair.signals if signal.name == "numeric")
    assert OLD[slice(*signal.span_a)] == "$5,000"
    assert NEW[slice(*signal.span_b)] == "$2,000"
    assert pair.classifier_method == "heuristic"
    assert 0.35 <= pair.classifier_score <= 0.75
    assert pair.suggested_verdict in (VerdictKind.CONTRADICTION, VerdictKind.REVISION)
    assert (pair.cluster_id, pair.members) == (pair.pending_id, (pair.pending_id,))
    assert pair.created_at > 1_700_000_000_000_000, "microseconds"


def test_the_ids_of_a_pair_name_its_two_memories(hebbs):
    pair = the_pair(hebbs)
    (older,) = hebbs.inspect(pair.memory_id_a)
    (newer,) = hebbs.inspect(pair.memory_id_b)
    assert (older.content, newer.content) == (OLD, NEW)


def test_without_any_date_no_direction_is_claimed(several):
    assert {pair.date_basis for pair in several.contradiction_prepare()} == {None}


def test_the_queue_is_ordered_by_confidence_and_can_be_cut_and_narrowed(several):
    pairs = several.contradiction_prepare()
    scores = [pair.classifier_score for pair in pairs]
    assert scores == sorted(scores, reverse=True)
    assert several.contradiction_prepare(limit=2) == pairs[:2]
    assert several.contradiction_prepare(limit=0) == ()
    narrowed = several.contradiction_prepare(paths=[several.root / "d.md"])
    assert [pair.source_a.path for pair in narrowed] in (["c.md"], ["d.md"])
    assert several.contradiction_prepare(min_confidence=0.76) == ()


def test_a_negative_limit_is_refused(hebbs):
    with pytest.raises(InputError, match="limit"):
        hebbs.contradiction_prepare(limit=-1)


def test_preparing_changes_nothing(hebbs):
    before = hebbs._workspace.store.dump_derived()
    hebbs.contradiction_prepare()
    assert hebbs._workspace.store.dump_derived() == before


def test_of_equal_statements_the_one_stated_last_stands_for_all(corpus, hebbs):
    corpus.write("later.md", f"---\ndate: 2026-05-01\n---\n{OLD}\n")
    hebbs.index()
    pair = the_pair(hebbs)
    assert (pair.content_a_snippet, pair.content_b_snippet) == (NEW, OLD)
    assert pair.source_b.path == "later.md"


# ---------------------------------------------------------------- what a verdict does


def test_a_contradiction_marks_both_and_is_pending_no_more(hebbs):
    pair = the_pair(hebbs)
    result = hebbs.contradiction_commit([Verdict(pair.pending_id, "contradiction", 0.9, "both")])
    assert (result.contradictions_confirmed, result.revisions_created, result.dismissed) == (
        1,
        0,
        0,
    )
    assert hebbs.contradiction_prepare() == ()
    assert edges(hebbs) == {"contradicts": 1}
    for one, other in ((OLD, NEW), (NEW, OLD)):
        (hit,) = [hit for hit in hebbs.recall("tenant budget") if hit.content == one]
        (contesting,) = hit.contested_by
        assert hebbs.inspect(contesting)[0].content == other
        (view,) = hebbs.inspect(hit.memory_id)
        assert view.contested_by == (contesting,)
        (edge,) = [edge for edge in view.edges if edge.kind == "contradicts"]
        assert (edge.direction, edge.content, edge.confidence, edge.note) == (
            "both",
            other,
            0.9,
            "both",
        )


def test_a_revision_takes_the_older_out_of_recall_and_keeps_it_in_the_lineage(hebbs):
    pair = the_pair(hebbs)
    result = hebbs.contradiction_commit([Verdict(pair.pending_id, "revision")])
    assert result.revisions_created == 1
    assert edges(hebbs) == {"revised_from": 1}
    assert [hit.content for hit in hebbs.recall("tenant budget")] == [NEW]
    everything = hebbs.recall("tenant budget", include_superseded=True)
    assert {hit.content: hit.superseded_by for hit in everything} == {
        OLD: (pair.memory_id_b,),
        NEW: (),
    }
    (older,) = hebbs.inspect(pair.memory_id_a)
    (edge,) = [edge for edge in older.edges if edge.kind == "revised_from"]
    assert (edge.direction, edge.memory_id) == ("in", pair.memory_id_b)


def test_a_revision_can_be_turned_round(hebbs):
    pair = the_pair(hebbs)
    hebbs.contradiction_commit([Verdict(pair.pending_id, "revision", supersedes="a")])
    assert [hit.content for hit in hebbs.recall("tenant budget")] == [OLD]


def test_a_dismissal_is_remembered_and_makes_no_edge(hebbs):
    pair = the_pair(hebbs)
    result = hebbs.contradiction_commit(
        [Verdict(pair.pending_id, "dismiss", 0.8, "two tenants")], author="ann"
    )
    assert result.dismissed == 1
    assert edges(hebbs) == {}
    assert hebbs.contradiction_prepare() == ()
    (view,) = hebbs.contradictions()
    assert (view.state, view.verdict, view.confidence, view.reasoning, view.author) == (
        "ruled",
        "dismiss",
        0.8,
        "two tenants",
        "ann",
    )
    assert (view.content_a, view.content_b) == (OLD, NEW)
    assert (view.source_a.path, view.source_a.line_start) == ("z.md", 4)


def test_the_journal_holds_who_ruled_what_with_both_statements_in_full(hebbs):
    pair = the_pair(hebbs)
    hebbs.contradiction_commit([Verdict(pair.pending_id, "revision", 0.7, "newer")], author="ann")
    (line,) = (hebbs.root / ".hebbs" / "verdicts.jsonl").read_text().splitlines()
    event = json.loads(line)
    assert (event["type"], event["author"]) == ("verdict", "ann")
    body = event["body"]
    assert (body["verdict"], body["supersedes"], body["confidence"]) == ("revision", "b", 0.7)
    assert (body["a"]["content"], body["b"]["content"]) == (OLD, NEW)


# ---------------------------------------------------------------- all or nothing


FAULTS = {
    "no such id": (Verdict("f" * 32, "dismiss"), "no pending contradiction"),
    "an id that is too short": (Verdict("12345", "dismiss"), "no pending contradiction"),
    "an id that is no text": (Verdict(7, "dismiss"), "not a text"),
    "a word that is no verdict": (Verdict("{id}", "maybe"), "no verdict"),
    "a confidence above one": (Verdict("{id}", "dismiss", 1.5), "between 0 and 1"),
    "a confidence that is no number": (Verdict("{id}", "dismiss", "high"), "not a number"),
    "a confidence of nothing": (Verdict("{id}", "dismiss", float("nan")), "between 0 and 1"),
    "a truth for a confidence": (Verdict("{id}", "dismiss", True), "not a number"),
    "a side that is none": (Verdict("{id}", "revision", supersedes="c"), "neither a nor b"),
    "a direction without revision": (Verdict("{id}", "dismiss", supersedes="a"), "only a revision"),
    "a wrong reach": (Verdict("{id}", "dismiss", apply_to="all"), "neither pair nor cluster"),
    "a merged wording": (Verdict("{id}", "revision", content="$3,000"), "cannot be stored yet"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_one_verdict_at_fault_stops_the_batch_and_is_named(several, case):
    first, second, _third = several.contradiction_prepare()
    bad, reason = FAULTS[case]
    given = second.pending_id if bad.pending_id == "{id}" else bad.pending_id
    bad = Verdict(
        given,
        bad.verdict,
        bad.confidence,
        supersedes=bad.supersedes,
        content=bad.content,
        apply_to=bad.apply_to,
    )
    with pytest.raises(VerdictError) as caught:
        several.contradiction_commit([Verdict(first.pending_id, "dismiss"), bad])
    ((named, why),) = caught.value.rejected
    assert named == given
    assert reason in why
    assert len(several.contradiction_prepare()) == 3
    assert not (several.root / ".hebbs" / "verdicts.jsonl").exists()


def test_a_partial_batch_applies_what_is_right_and_names_the_rest(several):
    first, second, third = several.contradiction_prepare()
    result = several.contradiction_commit(
        [
            Verdict(first.pending_id, "contradiction"),
            Verdict(second.pending_id, "perhaps"),
            Verdict(third.pending_id, "dismiss"),
        ],
        partial=True,
    )
    assert (result.contradictions_confirmed, result.dismissed) == (1, 1)
    assert [item.pending_id for item in result.rejected] == [second.pending_id]
    assert [pair.pending_id for pair in several.contradiction_prepare()] == [second.pending_id]


def test_the_beginning_of_an_id_will_do(hebbs):
    pair = the_pair(hebbs)
    hebbs.contradiction_commit([Verdict(pair.pending_id[:6], "dismiss")])
    assert hebbs.contradiction_prepare() == ()


def test_the_same_ruling_again_counts_as_already_and_writes_nothing(hebbs):
    verdict = Verdict(the_pair(hebbs).pending_id, "revision")
    hebbs.contradiction_commit([verdict])
    journal = (hebbs.root / ".hebbs" / "verdicts.jsonl").read_bytes()
    result = hebbs.contradiction_commit([verdict])
    assert (result.already, result.revisions_created) == (1, 0)
    assert (hebbs.root / ".hebbs" / "verdicts.jsonl").read_bytes() == journal


def test_another_ruling_on_a_judged_pair_needs_an_overrule(hebbs):
    pending_id = the_pair(hebbs).pending_id
    hebbs.contradiction_commit([Verdict(pending_id, "dismiss")], author="ann")
    with pytest.raises(VerdictError, match="already ruled a dismiss by ann"):
        hebbs.contradiction_commit([Verdict(pending_id, "contradiction")])
    hebbs.contradiction_commit([Verdict(pending_id, "contradiction", overrule=True)])
    assert edges(hebbs) == {"contradicts": 1}
    (view,) = hebbs.contradictions()
    assert view.verdict == "contradiction"


def test_the_same_direction_turned_round_is_another_ruling(hebbs):
    pending_id = the_pair(hebbs).pending_id
    hebbs.contradiction_commit([Verdict(pending_id, "revision")])
    with pytest.raises(VerdictError, match="already ruled"):
        hebbs.contradiction_commit([Verdict(pending_id, "revision", supersedes="a")])


def test_one_pair_named_twice_in_a_batch_must_be_ruled_alike(hebbs):
    pending_id = the_pair(hebbs).pending_id
    with pytest.raises(VerdictError, match="twice"):
        hebbs.contradiction_commit(
            [Verdict(pending_id, "dismiss"), Verdict(pending_id[:8], "revision")]
        )
    result = hebbs.contradiction_commit(
        [Verdict(pending_id, "dismiss"), Verdict(pending_id[:8], "dismiss")]
    )
    assert result.dismissed == 1


def test_an_empty_batch_does_nothing(hebbs):
    result = hebbs.contradiction_commit([])
    assert (result.already, result.rejected) == (0, ())


def test_a_ruling_counts_even_if_the_one_it_overrules_came_from_a_clock_that_is_ahead(hebbs):
    pending_id = the_pair(hebbs).pending_id
    hebbs.contradiction_commit([Verdict(pending_id, "dismiss")])
    journal = hebbs.root / ".hebbs" / "verdicts.jsonl"
    event = json.loads(journal.read_text())
    event["time_us"] += 3_600_000_000
    journal.write_text(json.dumps(event) + "\n")
    hebbs.contradiction_commit([Verdict(pending_id, "contradiction", overrule=True)])
    assert edges(hebbs) == {"contradicts": 1}


# ---------------------------------------------------------------- undo


@pytest.mark.parametrize("verdict", ["contradiction", "revision", "dismiss"])
def test_an_undone_ruling_leaves_no_trace_but_in_the_journal(hebbs, verdict):
    before = hebbs._workspace.store.dump_derived()
    pair = the_pair(hebbs)
    hebbs.contradiction_commit([Verdict(pair.pending_id, verdict)])
    undone = hebbs.undo(pair.pending_id[:10])
    assert (undone.pending_id, undone.verdict) == (pair.pending_id, verdict)
    assert hebbs.contradiction_prepare() == (pair,)
    assert edges(hebbs) == {}
    after = hebbs._workspace.store.dump_derived()
    assert {k: v for k, v in after.items() if k not in ("events", "event", "journal")} == {
        k: v for k, v in before.items() if k not in ("events", "event", "journal")
    }


def test_undoing_an_overruling_brings_the_former_ruling_back(hebbs):
    pending_id = the_pair(hebbs).pending_id
    hebbs.contradiction_commit([Verdict(pending_id, "dismiss", reasoning="first")])
    hebbs.contradiction_commit([Verdict(pending_id, "contradiction", overrule=True)])
    assert hebbs.undo(last=True).verdict == "contradiction"
    (view,) = hebbs.contradictions()
    assert (view.state, view.verdict, view.reasoning) == ("ruled", "dismiss", "first")
    assert hebbs.undo(last=True).verdict == "dismiss"
    assert the_pair(hebbs).pending_id == pending_id


def test_the_last_ruling_is_the_last_of_its_batch(several):
    pairs = several.contradiction_prepare()
    several.contradiction_commit([Verdict(pair.pending_id, "dismiss") for pair in pairs])
    undone = [several.undo(last=True).pending_id for _pair in pairs]
    assert undone == [pair.pending_id for pair in reversed(pairs)]


def test_an_undo_needs_to_know_which_ruling_is_meant(hebbs):
    with pytest.raises(InputError, match="no ruling to undo"):
        hebbs.undo(last=True)
    hebbs.contradiction_commit([Verdict(the_pair(hebbs).pending_id, "dismiss")])
    for arguments in ({}, {"pending_id": "abcdef", "last": True}):
        with pytest.raises(InputError, match="name the ruling"):
            hebbs.undo(**arguments)
    with pytest.raises(InputError, match="no pending contradiction or ruling"):
        hebbs.undo("0" * 32)


# ---------------------------------------------------------------- what a ruling survives


def ruled(hebbs: Hebbs, verdict: str = "dismiss") -> str:
    pending_id = the_pair(hebbs).pending_id
    hebbs.contradiction_commit([Verdict(pending_id, verdict)])
    return pending_id


def still_ruled(hebbs: Hebbs, pending_id: str) -> bool:
    return hebbs.contradiction_prepare() == () and [
        view.pending_id for view in hebbs.contradictions("ruled")
    ] == [pending_id]


def test_a_ruling_survives_edits_around_renames_and_a_rebuild(corpus, hebbs):
    pending_id = ruled(hebbs, "contradiction")
    corpus.write("a.md", MARCH + "\nThe archive closes at noon.\n")
    corpus.rename("z.md", "old/plan.md")
    hebbs.index()
    assert still_ruled(hebbs, pending_id)
    assert edges(hebbs) == {"contradicts": 1}
    hebbs.rebuild()
    assert still_ruled(hebbs, pending_id)
    assert edges(hebbs) == {"contradicts": 1}


def test_a_ruling_covers_copies_of_its_statements_in_other_files(corpus, hebbs):
    pending_id = ruled(hebbs, "contradiction")
    corpus.write("copy.md", f"{OLD}\n")
    report = hebbs.index()
    assert report.new_pending == ()
    assert still_ruled(hebbs, pending_id)
    assert edges(hebbs) == {"contradicts": 2}


def test_a_ruling_survives_another_detector_and_another_model(hebbs, monkeypatch):
    pending_id = ruled(hebbs)
    monkeypatch.setattr("hebbs_index.checking.DETECTOR_VERSION", "another")
    hebbs._workspace.models._embedder.fingerprint = "another"
    assert hebbs.index().counters.statements_checked == 2
    assert still_ruled(hebbs, pending_id)


def test_when_a_text_changes_its_ruling_is_history_and_the_new_pair_is_judged_anew(corpus, hebbs):
    pending_id = ruled(hebbs)
    corpus.write("a.md", MARCH.replace("2,000", "9,000"))
    report = hebbs.index()
    (pair,) = report.new_pending
    assert pair.pending_id != pending_id
    (history,) = hebbs.contradictions("history")
    assert (history.pending_id, history.content_b) == (pending_id, NEW)
    assert hebbs.status().rulings == {}
    with pytest.raises(VerdictError, match="changed since"):
        hebbs.contradiction_commit([Verdict(pending_id, "contradiction", overrule=True)])


def test_when_the_text_comes_back_so_does_its_ruling(corpus, hebbs):
    pending_id = ruled(hebbs, "contradiction")
    corpus.delete("a.md")
    hebbs.index()
    assert edges(hebbs) == {}
    assert [view.state for view in hebbs.contradictions()] == ["history"]
    corpus.write("elsewhere.md", f"{NEW}\n")
    hebbs.index()
    assert still_ruled(hebbs, pending_id)
    assert edges(hebbs) == {"contradicts": 1}


def test_a_ruling_keeps_its_direction_when_the_sides_change_places(corpus, hebbs):
    pending_id = ruled(hebbs, "revision")
    corpus.write("z.md", JANUARY.replace("2026-01-05", "2026-12-24"))
    hebbs.index()
    assert [hit.content for hit in hebbs.recall("tenant budget")] == [NEW]
    turned = Verdict(pending_id, "revision", supersedes="a")
    assert hebbs.contradiction_commit([turned]).already == 1, "a is the newer one's new name"
    with pytest.raises(VerdictError, match="already ruled"):
        hebbs.contradiction_commit([Verdict(pending_id, "revision")])


def test_a_pair_that_is_flagged_no_longer_keeps_its_ruling_until_it_is_undone(hebbs, monkeypatch):
    pending_id = ruled(hebbs, "contradiction")
    monkeypatch.setattr("hebbs_index.checking.DETECTOR_VERSION", "blind")
    monkeypatch.setattr("hebbs_index.checking.flagged", lambda *_: False)
    hebbs.index()
    assert edges(hebbs) == {"contradicts": 1}
    with pytest.raises(VerdictError, match="no longer flags"):
        hebbs.contradiction_commit([Verdict(pending_id, "dismiss", overrule=True)])
    hebbs.undo(pending_id)
    assert edges(hebbs) == {}
    assert hebbs.contradictions() == ()


def test_a_ruling_that_came_in_by_file_counts_at_once(corpus, hebbs, tmp_path):
    ruled(hebbs, "contradiction")
    journal = (corpus.root / ".hebbs" / "verdicts.jsonl").read_bytes()
    clone = tmp_path / "clone"
    clone.mkdir()
    (clone / "z.md").write_text(JANUARY)
    (clone / "a.md").write_text(MARCH)
    with open_small(clone) as other:
        other.index()
        assert len(other.contradiction_prepare()) == 1
        (clone / ".hebbs" / "verdicts.jsonl").write_bytes(journal)
        assert other.index().pending == 0
        assert edges(other) == {"contradicts": 1}


def test_a_line_that_cannot_be_read_is_told_of_and_spoils_no_other(corpus, hebbs):
    pending_id = ruled(hebbs)
    hebbs.close()
    journal = corpus.root / ".hebbs" / "verdicts.jsonl"
    journal.write_bytes(journal.read_bytes() + b"{torn\n")
    with open_small(corpus.root) as again:
        (note,) = again.notes
        assert "verdicts.jsonl, line 2" in note
        assert still_ruled(again, pending_id)


def test_states_can_be_listed_alone_and_others_are_refused(hebbs):
    assert [view.state for view in hebbs.contradictions("open")] == ["open"]
    assert hebbs.contradictions("ruled") == ()
    with pytest.raises(InputError, match="no state"):
        hebbs.contradictions("closed")
