"""The JSON that agents read: shapes pinned field by field."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from cli_doubles import PENDING, CommandLine, report

from hebbs_index.cli.render_json import plain, to_json
from hebbs_index.errors import VerdictError
from hebbs_index.reports import CommitResult, ContradictionVerdictInput, Rejected

SEED_FIELDS = [
    "pending_id",
    "memory_id_a",
    "memory_id_b",
    "content_a_snippet",
    "content_b_snippet",
    "classifier_score",
    "classifier_method",
    "similarity",
]
FURTHER_FIELDS = [
    "label",
    "suggested_verdict",
    "signals",
    "source_a",
    "source_b",
    "date_basis",
    "cluster_id",
    "members",
    "created_at",
]


@pytest.fixture
def hebbs(capsys, monkeypatch) -> CommandLine:
    monkeypatch.delenv("HEBBS_FORMAT", raising=False)
    monkeypatch.delenv("HEBBS_AUTHOR", raising=False)
    return CommandLine(capsys)


def test_prepare_gives_a_bare_array_with_the_fields_of_the_seeds_first(hebbs):
    (pair,) = json.loads(hebbs("contradiction-prepare", "--format", "json").out)

    assert list(pair) == SEED_FIELDS + FURTHER_FIELDS
    assert pair["classifier_method"] == "heuristic"
    assert pair["similarity"] == 0.82


def test_a_pair_names_its_signals_and_sources(hebbs):
    (pair,) = json.loads(hebbs("contradiction-prepare", "--json").out)

    assert pair["signals"] == [
        {
            "name": "numeric",
            "span_a": [10, 16],
            "span_b": [10, 16],
            "detail": "$2,000 / $5,000",
        }
    ]
    assert pair["source_a"] == {
        "path": "docs/budget.md",
        "line_start": 3,
        "line_end": 3,
        "heading": ["Budget"],
        "date": "2026-01-10",
    }
    assert (pair["label"], pair["suggested_verdict"]) == ("conflict", "contradiction")


def test_a_pair_without_vectors_has_null_similarity(hebbs):
    hebbs.hebbs.pending = (replace(PENDING, similarity=None),)

    assert json.loads(hebbs("contradiction-prepare", "--json").out)[0]["similarity"] is None


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (("contradiction-prepare",), "contradiction_prepare"),
        (("check",), "contradiction_prepare"),
        (("list",), "list_documents"),
        (("recall", "x"), "recall"),
        (("inspect", "x.md"), "inspect"),
        (("contradictions",), "contradictions"),
    ],
)
def test_an_empty_result_is_an_empty_array_and_no_error(hebbs, command, answer):
    hebbs.hebbs.answers[answer] = ()

    shown = hebbs(*command, "--json")

    assert (shown.code, shown.out, shown.err) == (0, "[]\n", "")
    assert hebbs(*command, "--format", "raw").out == ""


def test_check_gives_the_same_array_as_prepare(hebbs):
    checked = hebbs("check", "--json")

    assert checked.code == 10
    assert checked.out == hebbs("contradiction-prepare", "--json").out


def test_a_commit_answers_with_the_counts_of_the_seeds(hebbs):
    hebbs.hebbs.answers["contradiction_commit"] = CommitResult(1, 2, 3, (), 0)

    shown = hebbs("contradiction-commit", "--verdicts", "[]", "--json")

    assert shown.code == 0
    assert list(json.loads(shown.out).items()) == [
        ("contradictions_confirmed", 1),
        ("revisions_created", 2),
        ("dismissed", 3),
        ("rejected", []),
        ("already", 0),
    ]


def test_a_refused_batch_names_what_was_wrong_in_json_too(hebbs):
    hebbs.hebbs.answers["contradiction_commit"] = VerdictError([("abc123", "no such id")])

    shown = hebbs("contradiction-commit", "--verdicts", "[]", "--json")

    assert shown.code == 2
    assert json.loads(shown.out)["rejected"] == [{"pending_id": "abc123", "reason": "no such id"}]
    assert "no such id" in shown.err


def test_verdicts_reach_the_facade_as_they_were_written(hebbs):
    item = {
        "pending_id": "abc123",
        "verdict": "revision",
        "confidence": 0.85,
        "reasoning": "updated",
        "supersedes": "a",
        "content": None,
        "apply_to": "cluster",
        "overrule": True,
    }

    hebbs("contradiction-commit", "--verdicts", json.dumps([item]), "--author", "ada")

    (_name, ((verdict,),), options) = hebbs.hebbs.calls[0]
    assert verdict == ContradictionVerdictInput(
        pending_id="abc123",
        verdict="revision",
        confidence=0.85,
        reasoning="updated",
        supersedes="a",
        apply_to="cluster",
        overrule=True,
    )
    assert options == {"partial": False, "author": "ada"}


def test_verdicts_come_from_a_file_or_stdin(hebbs, tmp_path, monkeypatch):
    text = '\ufeff[{"pending_id": "abc123", "verdict": "dismiss"}]'
    (tmp_path / "verdicts.json").write_text(text, encoding="utf-8")
    stdin = (tmp_path / "verdicts.json").open(encoding="utf-8")
    monkeypatch.setattr("sys.stdin", stdin)

    from_file = hebbs("contradiction-commit", "--verdicts", f"@{tmp_path / 'verdicts.json'}")
    from_stdin = hebbs("contradiction-commit", "--verdicts", "-")
    stdin.close()

    assert (from_file.code, from_stdin.code) == (0, 0)
    assert hebbs.hebbs.calls[0] == hebbs.hebbs.calls[1]


def test_partial_applies_the_good_and_lists_the_others(hebbs):
    hebbs.hebbs.answers["contradiction_commit"] = CommitResult(
        dismissed=1, rejected=(Rejected("fff", "text moved on"),)
    )
    text = '[{"pending_id": "abc123", "verdict": "dismiss"}, {"pending_id": "x", "verdict": "no"}]'

    shown = hebbs("contradiction-commit", "--verdicts", text, "--partial", "--json")

    assert shown.code == 3
    answer = json.loads(shown.out)
    assert answer["dismissed"] == 1
    assert [item["pending_id"] for item in answer["rejected"]] == ["x", "fff"]
    ((verdict,),) = hebbs.hebbs.calls[0][1]
    assert verdict.pending_id == "abc123"


def test_an_index_run_lists_files_by_kind_of_change(hebbs):
    answer = json.loads(hebbs("index", "--json").out)

    assert list(answer) == [
        "dry_run",
        "added",
        "changed",
        "moved",
        "deleted",
        "unchanged",
        "unreadable",
        "problems",
        "documents",
        "propositions",
        "propositions_added",
        "propositions_removed",
        "new_pending",
        "pending",
        "counters",
        "seconds",
        "off",
    ]
    assert answer["moved"] == {"new.md": "old.md"}
    assert answer["counters"]["files_read"] == 2
    assert list(answer["new_pending"][0])[:8] == SEED_FIELDS


def test_a_watch_prints_one_line_of_json_a_pair(hebbs, tmp_path):
    (line,) = hebbs("watch", str(tmp_path), "--json").out.splitlines()

    assert list(json.loads(line))[:8] == SEED_FIELDS


def test_status_carries_the_counters_of_the_last_run(hebbs):
    assert json.loads(hebbs("status", "--json").out)["last_run"]["files_read"] == 2


def test_every_setting_has_a_value_and_an_origin(hebbs, tmp_path):
    answer = json.loads(hebbs("config", "--json", "--root", str(tmp_path)).out)

    assert answer["watch.quiet_ms"] == {"value": 500, "origin": "default"}
    one = json.loads(hebbs("config", "get", "recall.k", "--json", "--root", str(tmp_path)).out)
    assert one == {"key": "recall.k", "value": 10, "origin": "default"}


@pytest.mark.parametrize("name", ["why A B", "doctor", "verify", "undo --last", "rebuild"])
def test_every_other_answer_is_one_json_document(hebbs, name):
    shown = hebbs(*name.split(), "--json")

    assert shown.code == 0
    assert json.loads(shown.out)
    (line,) = hebbs(*name.split(), "--format", "raw").out.splitlines() or [""]
    assert line


def test_nothing_but_json_is_on_stdout(hebbs):
    hebbs.hebbs.notes = ("a note",)
    hebbs.hebbs.answers["index"] = report(off=("something is off",))

    assert json.loads(hebbs("index", "--json").out)


def test_text_is_escaped_only_where_it_must_be():
    assert to_json({"é": "😀"}) == '{\n  "é": "😀"\n}'
    assert to_json("é😀", ascii_only=True) == '"\\u00e9\\ud83d\\ude00"'


def test_sets_are_sorted_so_that_output_repeats():
    assert plain(frozenset({"b", "a"})) == ["a", "b"]
