"""What the command line prints for people, and how it passes on what was typed."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import click
import pytest
from cli_doubles import PENDING, PROBLEM, RULING, STATUS, CommandLine, process_environ, report

from hebbs_index.cli.commands.watch import Stop
from hebbs_index.cli.main import COMMANDS, cli
from hebbs_index.cli.text import clean, emphasise_differences
from hebbs_index.errors import NoIndex, StoreDamaged
from hebbs_index.records import Guard, Judgement, Label, Plan, Signal, Source, VerdictKind
from hebbs_index.reports import (
    CommitResult,
    EdgeView,
    Explanation,
    Finding,
    Listing,
    MemoryView,
    RecallHit,
    Rejected,
    VerifyReport,
)


@pytest.fixture
def hebbs(capsys, monkeypatch) -> CommandLine:
    for variable in [name for name in os.environ if name.startswith("HEBBS_")]:
        monkeypatch.delenv(variable)
    return CommandLine(capsys)


# ---------------------------------------------------------------- help


def all_commands() -> list[tuple[str, click.Command]]:
    context = click.Context(cli)
    return [(name, cli.get_command(context, name)) for name in cli.list_commands(context)]


@pytest.mark.parametrize(("name", "command"), all_commands())
def test_the_help_of_every_command_ends_in_an_example_that_names_it(name, command):
    paragraphs = command.help.strip().split("\n\n")
    example = paragraphs[-1].split("Example:")[1]

    assert "hebbs " in example
    assert name in example or name == "search"


def test_the_help_lists_every_command_with_its_purpose(hebbs):
    shown = hebbs("--help")

    assert shown.code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in shown.out
    assert "Same as recall." in shown.out


def test_without_a_command_the_help_goes_to_stderr(hebbs):
    shown = hebbs()

    assert (shown.code, shown.out) == (2, "")
    assert "Commands:" in shown.err


def test_the_version_is_one_line(hebbs):
    assert hebbs("--version").out.startswith("hebbs-index 0")


# ---------------------------------------------------------------- options


@pytest.mark.parametrize("arguments", [("--json", "status"), ("status", "--json")])
def test_options_may_stand_before_or_after_the_command(hebbs, arguments):
    assert hebbs(*arguments).out.startswith("{")


def test_an_option_wins_over_its_variable_wherever_it_stands(hebbs, monkeypatch):
    monkeypatch.setenv("HEBBS_FORMAT", "raw")

    assert hebbs("list").out == "docs/budget.md\n"
    assert hebbs("--format", "json", "list").out.startswith("[")
    assert hebbs("list", "--json").out.startswith("[")


def test_the_root_and_the_settings_reach_the_index(hebbs, tmp_path):
    hebbs("status", "--root", str(tmp_path), "--set", "watch.poll=true")

    (path, options) = hebbs.opened[0]
    assert path is None
    assert options == {"root": tmp_path, "create": False, "overrides": {"watch.poll": "true"}}


def test_the_root_is_taken_from_its_variable(hebbs, tmp_path, monkeypatch):
    monkeypatch.setenv("HEBBS_ROOT", str(tmp_path))

    hebbs("status")

    assert hebbs.opened[0][1]["root"] == tmp_path


def test_notes_go_to_stderr_unless_quiet(hebbs):
    hebbs.hebbs.notes = ("using the index at ./notes",)

    assert "./notes" in hebbs("list").err
    assert hebbs("list", "-q").err == ""
    assert "./notes" not in hebbs("list").out


def test_the_index_is_closed_when_a_command_ends(hebbs):
    hebbs("status")

    assert hebbs.hebbs.closed


# ---------------------------------------------------------------- index


def test_the_summary_counts_files_statements_and_pairs(hebbs):
    shown = hebbs("index", "notes")

    assert shown.code == 0
    assert shown.out.splitlines()[:3] == [
        "2 files added, 0 changed, 1 moved, 0 deleted, 1 unchanged, 0 with problems in 1.2 s",
        "1,200 statements in 4 documents (12 new, 3 gone)",
        "1 new possible contradiction, 1 waiting for a verdict",
    ]
    assert hebbs.opened[0][0] == Path("notes")
    assert hebbs.opened[0][1]["create"] is True


def test_index_without_a_path_makes_no_index(hebbs):
    hebbs("index")

    assert hebbs.opened[0][1]["create"] is False


def test_a_new_pair_is_shown_with_both_places_and_its_reason(hebbs):
    shown = hebbs("index").out

    for part in (
        "conflict 0.65  abc1230000",
        "docs/budget.md:3  Budget",
        "Budget is $5,000 per tenant",
        "notes/march.md:7",
        "Budget is $2,000 per tenant",
        "the numbers differ: $5,000 / $2,000",
        "b is newer by front matter (2026-01-10 before 2026-03-02)",
    ):
        assert part in shown


def test_at_most_twenty_new_pairs_are_shown_and_the_rest_counted(hebbs):
    hebbs.hebbs.answers["index"] = report(new_pending=(PENDING,) * 23)

    shown = hebbs("index").out

    assert shown.count("abc1230000") == 20
    assert "... and 3 more" in shown


def test_a_file_with_a_problem_is_named_with_its_reason_and_exits_3(hebbs):
    hebbs.hebbs.answers["index"] = report(problems=(PROBLEM,))

    shown = hebbs("index")

    assert shown.code == 3
    assert "problem: bad.md: decode: not a text" in shown.out
    assert "1 with problems" in shown.out


def test_what_is_off_is_said(hebbs):
    hebbs.hebbs.answers["index"] = report(off=("no embedding model",))

    assert "off: no embedding model" in hebbs("index").out


def test_a_dry_run_prints_the_plan(hebbs):
    plan = Plan(added=("a.md",), modified=("b.md",), moved={"d.md": "c.md"}, deleted=("e.md",))
    hebbs.hebbs.answers["index"] = report(plan=plan, dry_run=True, new_pending=())

    shown = hebbs("index", "--dry-run", "--allow-empty")

    assert shown.out.splitlines() == [
        "would add  a.md",
        "would change  b.md",
        "would delete  e.md",
        "would move  c.md -> d.md",
        "0 files unchanged",
    ]
    assert hebbs.hebbs.calls[0][2] == {"dry_run": True, "allow_empty": True}


def test_quiet_keeps_the_pairs_and_drops_the_summary(hebbs):
    shown = hebbs("index", "--quiet").out

    assert shown.startswith("conflict 0.65")


def test_rebuild_prints_the_same_summary(hebbs):
    assert "1,200 statements" in hebbs("rebuild").out


# ---------------------------------------------------------------- reading


def test_status_shows_counts_models_and_what_is_off(hebbs):
    shown = hebbs("status").out

    assert "statements       5 (4 distinct)" in shown
    assert "language model   blank" in shown
    assert "2024-07-03 09:46:40Z, 1.5 s" in shown
    assert "off: the embedding model is not installed" in shown


def test_status_says_when_the_last_run_was_and_who_watches(hebbs):
    watcher = {"pid": 7, "host": "here", "since": 2.0, "state": "waiting", "updates": 2}
    hebbs.hebbs.answers["status"] = replace(
        STATUS, last_run={"time": 1_000_000, "seconds": 2.04}, watcher=watcher
    )

    shown = hebbs("status").out

    assert "last run         1970-01-01 00:00:01Z, 2.0 s" in shown
    assert "process 7 on here, since 1970-01-01 00:00:02Z, waiting, 2 updates" in shown


def test_an_index_of_nothing_says_what_is_read(hebbs):
    hebbs.hebbs.answers["index"] = report(documents=0, problems=())

    assert "no .md, .txt, .rst or .html" in hebbs("index", ".").out


def test_status_names_what_needs_attention(hebbs):
    hebbs.hebbs.answers["status"] = replace(
        STATUS, unchecked=2, unmatched_rulings=1, watcher={"pid": 7}, problems=(PROBLEM,)
    )

    shown = hebbs("status").out

    assert "2 statements not checked yet" in shown
    assert "1 ruling without a match" in shown
    assert "process 7 on ?" in shown
    assert "problem: bad.md" in shown


def test_documents_are_listed_in_columns_or_as_bare_paths(hebbs):
    assert hebbs("list", "docs").out.splitlines()[1].split()[:2] == ["docs/budget.md", "markdown"]
    assert hebbs("list", "--format", "raw").out == "docs/budget.md\n"
    assert hebbs.hebbs.calls[0][1] == (("docs",),)


def test_why_a_listed_document_could_not_be_used_is_shown(hebbs):
    row = Listing("d", "bad.md", "", "text", None, None, 0, "decode: not a text")
    hebbs.hebbs.answers["list_documents"] = (row,)

    assert "bad.md: decode: not a text" in hebbs("list").out


def test_the_words_of_a_query_need_no_quotes(hebbs):
    hebbs("search", "budget", "per", "tenant", "-k", "3", "--path", "docs", "--entity-id", "acme")

    (_name, arguments, options) = hebbs.hebbs.calls[0]
    assert arguments == ("budget per tenant",)
    assert options == {
        "k": 3,
        "paths": ("docs",),
        "entity": "acme",
        "include_superseded": False,
    }


def test_the_number_of_answers_comes_from_the_configuration(hebbs):
    hebbs("recall", "budget")

    assert hebbs.hebbs.calls[0][2]["k"] == 10


def test_an_answer_shows_its_place_and_what_speaks_against_it(hebbs):
    hit = RecallHit(
        "ab" * 16, "proposition", "Budget is\n$5", 0.5, 0.8, PENDING.source_a, None, 0.5,
        contested_by=("cd" * 16,),
    )  # fmt: skip
    hebbs.hebbs.answers["recall"] = (hit,)

    assert hebbs("recall", "budget").out.splitlines() == [
        "docs/budget.md:3  similarity 0.80  ababababab",
        "  Budget is $5",
        "  contested by cdcdcdcdcd",
    ]
    assert hebbs("recall", "budget", "--format", "raw").out == "Budget is $5\n"


def test_a_memory_is_shown_with_its_entities(hebbs):
    memory = MemoryView(
        "ab" * 16, "proposition", "Budget is $5", 0.5, "acme", 0, Source("a.md", 2, 2, (), None),
        None, (), ("budget",), (), (), ("cd" * 16,),
    )  # fmt: skip
    hebbs.hebbs.answers["inspect"] = (memory,)

    shown = hebbs("inspect", "a.md:2").out

    assert "a.md:2" in shown
    assert "about acme" in shown
    assert "mentions budget" in shown
    assert "superseded by cdcdcdcdcd" in shown


def test_check_exits_10_while_something_is_open(hebbs):
    shown = hebbs("check", "docs", "--min-confidence", "0.5")

    assert shown.code == 10
    assert "docs/budget.md:3" in shown.out
    assert hebbs.hebbs.calls[0][2] == {"paths": ("docs",), "min_confidence": 0.5}


def test_check_exits_0_when_nothing_is_open(hebbs):
    hebbs.hebbs.pending = ()

    assert hebbs("check").code == 0
    assert hebbs("check").out == "no open contradictions\n"


def test_prepare_passes_its_limits_on(hebbs):
    hebbs("contradiction-prepare", "docs", "--limit", "5", "--min-confidence", "0.6")

    assert hebbs.hebbs.calls[0][2] == {"limit": 5, "paths": ("docs",), "min_confidence": 0.6}


def test_a_pair_without_a_direction_says_so(hebbs):
    hebbs.hebbs.pending = (replace(PENDING, date_basis=None),)

    assert "nothing says which is newer" in hebbs("contradiction-prepare").out


def test_raw_pairs_are_one_line_each(hebbs):
    (line,) = hebbs("contradiction-prepare", "--format", "raw").out.splitlines()

    assert line.split("\t")[1:4] == ["conflict", "0.65", "docs/budget.md:3"]


def test_rulings_are_listed_with_who_when_and_why(hebbs):
    shown = hebbs("contradictions", "--state", "ruled").out

    assert "ruled: dismiss 0.90  abc1230000  ada 2024-07-03 09:46:40Z" in shown
    assert "because two tenants" in shown
    assert hebbs.hebbs.calls[0][1] == ("ruled",)


def test_why_tells_the_decision_and_its_reasons(hebbs):
    shown = hebbs("why", "Budget is $5", "Budget is $2").out

    assert "flagged (pending): conflict with confidence 0.60" in shown
    assert "similarity 0.80; candidate by vector" in shown


# ---------------------------------------------------------------- ruling


def test_undo_takes_an_id_or_last(hebbs):
    assert hebbs("undo", "abc123", "--author", "ada").out.startswith("taken back: dismiss")
    hebbs("undo", "--last")

    assert hebbs.hebbs.calls[0][1:] == (("abc123",), {"last": False, "author": "ada"})
    assert hebbs.hebbs.calls[1][1:] == ((None,), {"last": True, "author": None})


@pytest.mark.parametrize("arguments", [("undo",), ("undo", "abc123", "--last")])
def test_undo_wants_exactly_one_of_both(hebbs, arguments):
    assert hebbs(*arguments).code == 2


def test_a_commit_says_what_it_did(hebbs):
    hebbs.hebbs.answers["contradiction_commit"] = CommitResult(1, 2, 3, (), 4)

    shown = hebbs("contradiction-commit", "--verdicts", "[]")

    assert shown.code == 0
    assert shown.out == (
        "1 contradiction confirmed, 2 revisions created, 3 dismissed, 4 already ruled so.\n"
    )


# ---------------------------------------------------------------- health


@pytest.mark.parametrize(
    ("finding", "code"),
    [
        (Finding("python", "ok", "3.11"), 0),
        (Finding("file", "warning", "one is odd"), 0),
        (Finding("embedding model", "note", "switched off"), 0),
        (Finding("embedding model", "warning", "missing", "install it"), 8),
        (Finding("database", "fault", "damaged"), 6),
        (Finding("sqlite", "fault", "no FTS5"), 3),
    ],
)
def test_doctor_exits_with_the_code_of_the_worst_finding(hebbs, finding, code):
    hebbs.hebbs.answers["doctor"] = (Finding("python", "ok", "3.11"), finding)

    shown = hebbs("doctor")

    assert shown.code == code
    assert finding.detail in shown.out
    assert finding.hint in shown.out


def test_doctor_looks_at_the_machine_where_there_is_no_index(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    hebbs = CommandLine(capsys)
    hebbs.hebbs.answers["doctor"] = (
        Finding("python", "ok", "3.11"),
        Finding("folder", "ok", "/tmp/xyz"),
    )
    hebbs.refuse_first = NoIndex("there is no index here")

    shown = hebbs("doctor")

    assert shown.code == 0
    assert "python: 3.11" in shown.out
    assert "/tmp/xyz" not in shown.out
    assert "index: there is no index here" in shown.out
    assert hebbs.opened[1][1]["create"] is True


def test_rebuild_throws_a_damaged_database_away(hebbs):
    hebbs.refuse_first = StoreDamaged("index.sqlite3 is damaged")

    shown = hebbs("rebuild")

    assert shown.code == 0
    assert "index.sqlite3 is damaged; it is made anew" in shown.err
    assert hebbs.opened[1][1]["discard"] is True


def test_verify_exits_6_while_a_fault_is_left(hebbs):
    hebbs.hebbs.answers["verify"] = VerifyReport(
        (Finding("vectors", "fault", "2 rows without"),), ("full text",)
    )

    shown = hebbs("verify", "--repair")

    assert shown.code == 6
    assert "repaired: full text" in shown.out
    assert hebbs.hebbs.calls[0][2] == {"repair": True}
    hebbs.hebbs.answers.clear()
    assert hebbs("verify").code == 0


# ---------------------------------------------------------------- init and config


def test_init_writes_a_commented_configuration_once(hebbs, tmp_path):
    first = hebbs("init", str(tmp_path))
    (tmp_path / ".hebbs").mkdir()
    written = (tmp_path / "hebbs.toml").read_text()
    second = hebbs("init", str(tmp_path))

    assert (first.code, second.code) == (0, 0)
    assert "made hebbs.toml and .hebbs/" in first.out
    assert "already" in second.out
    assert (tmp_path / "hebbs.toml").read_text() == written
    assert hebbs.opened[0] == (tmp_path, {"root": tmp_path, "create": True, "overrides": {}})


def test_init_makes_no_second_index_inside_another(hebbs, tmp_path):
    (tmp_path / "hebbs.toml").write_text("")
    (tmp_path / "sub").mkdir()

    shown = hebbs("init", str(tmp_path / "sub"))

    assert "already part of the index" in shown.out
    assert not (tmp_path / "sub" / "hebbs.toml").exists()
    assert hebbs.opened == []


def test_config_shows_values_with_their_origin(hebbs, tmp_path, monkeypatch):
    (tmp_path / "hebbs.toml").write_text("[watch]\npoll = true\n")
    monkeypatch.setenv("HEBBS_RECALL_K", "3")

    shown = hebbs("config", "--root", str(tmp_path), "--set", "watch.quiet_ms=1").out

    rows = {line.split()[0]: line for line in shown.splitlines()}
    for name, value, origin in (
        ("watch.poll", "true", "hebbs.toml"),
        ("recall.k", "3", "HEBBS_RECALL_K"),
        ("watch.quiet_ms", "1", "flag"),
        ("watch.settle_ms", "3000", "default"),
    ):
        assert rows[name].split() == [name, "=", value, "#", origin]


def test_config_get_prints_the_bare_value(hebbs, tmp_path):
    (tmp_path / "hebbs.toml").write_text("[language]\nmodel = 'x'\n")

    assert hebbs("config", "get", "language.model", "--root", str(tmp_path)).out == "x\n"
    assert hebbs("config", "get", "corpus.exclude", "--root", str(tmp_path)).out == "[]\n"


# ---------------------------------------------------------------- watch


def test_watch_prints_a_line_a_pair_and_talks_on_stderr(hebbs, tmp_path):
    shown = hebbs("watch", str(tmp_path), "--poll", "--allow-empty")

    (line,) = shown.out.splitlines()
    assert "docs/budget.md:3" in line
    assert "notes/march.md:7" in line
    assert "rescanning" in shown.err
    assert "2 files added" in shown.err
    assert hebbs.opened[0][1]["overrides"] == {"watch.poll": True}
    assert hebbs.hebbs.calls[0][2] == {"allow_empty": True}


def test_sigterm_ends_a_watch_with_0_and_ctrl_c_with_130():
    codes = {}
    for number in (signal.SIGTERM, signal.SIGINT):
        with Stop() as stop:
            os.kill(os.getpid(), number)
            assert stop.event.wait(5)
        codes[number] = stop.exit_code

    assert codes == {signal.SIGTERM: 0, signal.SIGINT: 130}


def test_a_second_ctrl_c_interrupts_at_once():
    with pytest.raises(KeyboardInterrupt), Stop() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        stop.event.wait(5)
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(5)


def test_the_signal_handlers_of_before_come_back():
    before = signal.getsignal(signal.SIGTERM)
    with Stop():
        assert signal.getsignal(signal.SIGTERM) is not before

    assert signal.getsignal(signal.SIGTERM) is before


# ---------------------------------------------------------------- text


def test_words_from_documents_cannot_command_the_terminal(hebbs):
    hebbs.hebbs.pending = (replace(PENDING, content_a_snippet="red \x1b[31m\x07 alert\u202e"),)

    shown = hebbs("contradiction-prepare").out

    assert "\x1b" not in shown
    assert "red \\x1b[31m\\x07 alert" in shown


def test_the_words_that_differ_are_bold():
    first, second = emphasise_differences("The cap is 5 GB.", "the cap is 9 GB")

    assert click.style("5", bold=True) in first
    assert click.style("9", bold=True) in second
    assert click.unstyle(first) == "The cap is 5 GB."
    assert first.count("\x1b[1m") == 1


def test_clean_text_is_one_line():
    assert clean(" a\n\tb\x00 ") == "a b\\x00"


def run_on_terminal(*arguments: str, **environ: str) -> str:
    """What `python -c` prints when its stdout and stderr are a terminal."""
    main_end, other_end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=other_end,
        stderr=other_end,
        env=process_environ(TERM="xterm", COLUMNS="120", **environ),
        cwd=Path(__file__).parent,
    )
    os.close(other_end)
    shown = b""
    try:
        while piece := os.read(main_end, 65536):
            shown += piece
    except OSError:  # Linux reports the closed other end this way
        pass
    process.wait(30)
    os.close(main_end)
    return shown.decode()


ON_TERMINAL = """
import sys
from cli_doubles import FakeHebbs
from hebbs_index.cli.main import main
from hebbs_index.cli.session import Session
sys.exit(main(sys.argv[1:], session=Session(opener=lambda path, **options: FakeHebbs())))
"""


def test_a_terminal_gets_progress_and_bold_words():
    shown = run_on_terminal(ON_TERMINAL, "index")

    assert "looking" in shown
    assert "2/2" in shown
    assert click.style("$5,000", bold=True) in shown


@pytest.mark.parametrize("arguments", [("--no-color", "index"), ("index", "--no-color")])
def test_no_color_takes_the_colors_away(arguments):
    assert "\x1b[1m" not in run_on_terminal(ON_TERMINAL, *arguments)


def test_the_no_color_variable_takes_the_colors_away():
    assert "\x1b[1m" not in run_on_terminal(ON_TERMINAL, "index", NO_COLOR="1")


def test_quiet_shows_no_progress():
    assert "looking" not in run_on_terminal(ON_TERMINAL, "index", "-q")


def test_a_ruling_of_nobody_is_still_shown(hebbs):
    hebbs.hebbs.answers["contradictions"] = (
        replace(RULING, state="open", verdict=None, confidence=None, decided_at=None, reasoning=""),
    )

    assert hebbs("contradictions").out.startswith("open: no verdict yet  abc1230000\n")


# ---------------------------------------------------------------- everything a record can hold


def test_a_pair_shows_its_cluster_and_a_revision_its_direction(hebbs):
    hebbs.hebbs.pending = (
        replace(
            PENDING,
            label=Label.UPDATE,
            suggested_verdict=VerdictKind.REVISION,
            members=("1" * 32, "2" * 32),
            signals=(Signal("novel", None, None, ""),),
        ),
        PENDING,
    )

    shown = hebbs("contradiction-prepare").out

    assert "update 0.65  abc1230000  (2 pairs like it)" in shown
    assert "; a revision would let b supersede a" in shown
    assert "\n  novel\n" in shown
    assert "\n\nconflict" in shown


def test_a_memory_is_shown_with_its_edges_and_what_contests_it(hebbs):
    edges = (
        EdgeView("contradicts", "both", "b" * 32, "Budget is $2", PENDING.source_b, 0.9, "why"),
        EdgeView("proposition_of", "out", "c" * 32, "Budget", None, 1.0, ""),
    )
    memory = MemoryView(
        "ab" * 16, "proposition", "Budget is $5", 0.5, None, 0, None, None, edges, (), (),
        ("b" * 32,), (),
    )  # fmt: skip
    hebbs.hebbs.answers["inspect"] = (memory, memory)

    shown = hebbs("inspect", "abab").out

    assert "contested by bbbbbbbbbb" in shown
    assert "  <-> contradicts (why) notes/march.md:7 Budget is $2" in shown
    assert "  -> proposition_of (not in a file) Budget" in shown


def test_a_superseded_answer_says_by_what(hebbs):
    hit = RecallHit(
        "ab" * 16, "proposition", "x", 0.5, None, PENDING.source_a, None, 0.5,
        superseded_by=("cd" * 16,),
    )  # fmt: skip
    hebbs.hebbs.answers["recall"] = (hit, hit)

    shown = hebbs("recall", "x").out

    assert shown.count("superseded by cdcdcdcdcd") == 2
    assert "similarity" not in shown


def test_a_revision_says_which_side_supersedes(hebbs):
    hebbs.hebbs.answers["contradictions"] = (
        replace(RULING, verdict="revision", supersedes="b"),
        replace(RULING, verdict="revision", supersedes="a"),
    )

    shown = hebbs("contradictions").out

    assert "b supersedes a" in shown
    assert "a supersedes b" in shown


def test_why_lists_signals_guards_and_steps(hebbs):
    judgement = Judgement(
        Label.SCOPE, 0.2, PENDING.signals, (Guard("environment", "staging and production"),)
    )
    hebbs.hebbs.answers["why"] = Explanation(
        "a", "b", None, None, None, (), judgement, False, "not a candidate", ("first", "then")
    )

    shown = hebbs("why", "a", "b").out.splitlines()

    assert shown[2:] == [
        "not flagged (not a candidate): scope with confidence 0.20",
        "  similarity unknown; candidate by none: the two were never compared",
        "  signal: the numbers differ: $2,000 / $5,000",
        "  held back by environment: staging and production",
        "  1. first",
        "  2. then",
    ]


def test_verdicts_that_were_not_applied_are_listed(hebbs):
    hebbs.hebbs.answers["contradiction_commit"] = CommitResult(
        rejected=(Rejected("fff", "its text moved on"),)
    )

    shown = hebbs("contradiction-commit", "--verdicts", "[]", "--partial")

    assert shown.code == 3
    assert "not applied: fff: its text moved on" in shown.out


def test_an_index_that_never_ran_says_so(hebbs):
    hebbs.hebbs.answers["status"] = replace(STATUS, last_run={}, edges={}, rulings={})

    assert "last run         never" in hebbs("status").out


def test_a_long_list_of_problems_is_cut_and_counted(hebbs):
    hebbs.hebbs.answers["index"] = report(problems=(PROBLEM,) * 60)

    assert "... and 10 more problems" in hebbs("index").out


def test_raw_watch_lines_are_those_of_prepare(hebbs, tmp_path):
    watched = hebbs("watch", str(tmp_path), "--format", "raw").out

    assert watched == hebbs("contradiction-prepare", "--format", "raw").out


def test_progress_knows_every_stage(hebbs, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")

    shown = hebbs("index")

    assert "looking" in shown.err
    assert "looking" not in shown.out
