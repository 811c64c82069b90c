"""What a user can get wrong: one clear sentence, the right exit code, never a traceback."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_doubles import CommandLine, process_environ
from hypothesis import given
from hypothesis import strategies as st

from hebbs_index.cli.verdicts import parse_verdicts
from hebbs_index.errors import (
    ConfigError,
    CorpusVanished,
    InputError,
    LockBusy,
    ModelUnavailable,
    NoIndex,
    StoreDamaged,
    StoreNewer,
)


@pytest.fixture
def hebbs(capsys, monkeypatch) -> CommandLine:
    for variable in [name for name in os.environ if name.startswith("HEBBS_")]:
        monkeypatch.delenv(variable)
    return CommandLine(capsys)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("no such thing", hint="look elsewhere"), 2),
        (ConfigError("hebbs.toml", ["one", "two"]), 2),
        (NoIndex("there is no index here"), 4),
        (LockBusy("locked"), 5),
        (StoreDamaged("damaged"), 6),
        (StoreNewer("newer"), 6),
        (CorpusVanished(Path("/notes"), "empty"), 7),
        (ModelUnavailable("missing"), 8),
    ],
)
def test_an_error_is_a_sentence_a_hint_and_a_code(hebbs, error, code):
    hebbs.hebbs.answers["open"] = error

    shown = hebbs("status")

    assert (shown.code, shown.out) == (code, "")
    assert shown.err.startswith(f"hebbs: {error}\n")
    assert error.hint in shown.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("stats",), "There is no command 'stats'. Did you mean 'status'?"),
        (("contradictions-prepare",), "Did you mean 'contradiction-prepare'?"),
        (("xyzzy",), "There is no command 'xyzzy'."),
        (("status", "--jsn"), "--json"),
        (("status", "--format", "yaml"), "'yaml' is not one of"),
        (("status", "surplus"), "unexpected extra argument"),
        (("recall",), "Missing argument 'QUERY...'"),
        (("recall", " "), "The query is empty."),
        (("recall", "x", "-k", "0"), "0 is not in the range"),
        (("check", "--min-confidence", "2"), "2.0 is not in the range"),
        (("contradiction-prepare", "--limit", "x"), "'x' is not a valid integer"),
        (("contradiction-prepare", "--limit", "0"), "0 is not in the range"),
        (("contradiction-commit",), "Missing option '--verdicts'"),
        (("contradictions", "--state", "closed"), "'closed' is not one of"),
        (("completion", "csh"), "'csh' is not one of"),
        (("config", "get"), "Missing argument 'KEY'"),
        (("config", "get", "watch.pol"), "did you mean watch.poll?"),
        (("config", "set"), "set"),
        (("config", "--set", "watch.poll"), "is not of the form section.key=value"),
        (("config", "--set", "watch.poll=3"), "watch.poll must be true or false, not '3'"),
        (("watch", "no/such/folder"), "there is no folder no/such/folder"),
        (("init", "no/such/folder"), "there is no folder no/such/folder"),
    ],
)
def test_a_slip_of_the_keyboard_is_named_and_exits_2(hebbs, arguments, sentence):
    shown = hebbs(*arguments)

    assert (shown.code, shown.out) == (2, "")
    assert sentence in shown.err
    assert shown.err.startswith("hebbs: ")
    assert "Traceback" not in shown.err


def test_a_file_is_no_folder(hebbs, tmp_path):
    (tmp_path / "a.md").write_text("x")

    shown = hebbs("watch", str(tmp_path / "a.md"))

    assert shown.code == 2
    assert "a.md is a file, not a folder" in shown.err


def test_a_folder_closed_to_us_is_named(hebbs, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read anything

    shown = hebbs("watch", str(tmp_path))

    assert (shown.code, "no permission to read" in shown.err) == (2, True)


def test_a_permission_that_is_missing_later_is_named_too(hebbs):
    hebbs.hebbs.answers["open"] = PermissionError(13, "denied", "/notes/.hebbs")

    shown = hebbs("status")

    assert (shown.code, shown.err) == (2, "hebbs: no permission: /notes/.hebbs\n")


def test_a_bad_format_variable_is_named(hebbs, monkeypatch):
    monkeypatch.setenv("HEBBS_FORMAT", "yaml")

    shown = hebbs("status")

    assert shown.code == 2
    assert "HEBBS_FORMAT" in shown.err or "'yaml' is not one of" in shown.err


def test_all_faults_of_a_configuration_are_printed(hebbs, tmp_path):
    (tmp_path / "hebbs.toml").write_text("[watch]\nquite_ms = 1\n[contradiction]\nenabled = 3\n")

    shown = hebbs("config", "--root", str(tmp_path))

    assert shown.code == 2
    assert "has 2 problems" in shown.err
    assert "line 2: unknown setting watch.quite_ms: did you mean watch.quiet_ms?" in shown.err
    assert "line 4: contradiction.enabled must be true or false, not 3" in shown.err


def test_an_unforeseen_error_keeps_its_traceback(hebbs):
    hebbs.hebbs.answers["status"] = ZeroDivisionError()

    with pytest.raises(ZeroDivisionError):
        hebbs("status")


def test_ctrl_c_exits_130(hebbs):
    hebbs.hebbs.answers["index"] = KeyboardInterrupt()

    shown = hebbs("index")

    assert shown.code == 130
    assert "interrupted" in shown.err


# ---------------------------------------------------------------- verdicts


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "not valid JSON"),
        ("[{]", "not valid JSON: "),
        ('[{"pending_id": "a"', "line 1, column"),
        ("{}", "must be a JSON list, not an object"),
        ("null", "must be a JSON list, not null"),
        ("3", "must be a JSON list, not a number"),
        ('[{"confidence": NaN}]', "NaN is not a JSON number"),
        ("[" * 100_000, "the verdicts cannot be read"),
        ("[1" + "0" * 5000 + "]", "the verdicts cannot be read"),
        ("@no/such/file.json", "cannot read no/such/file.json: No such file"),
        ("@.", "cannot read .: Is a directory"),
    ],
)
def test_verdicts_that_are_no_list_are_refused(hebbs, text, sentence):
    shown = hebbs("contradiction-commit", "--verdicts", text)

    assert (shown.code, shown.out) == (2, "")
    assert sentence in shown.err
    assert hebbs.opened == []


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        (3, "item 1: must be an object, not a number"),
        ({"verdict": "dismiss"}, "item 1: pending_id is missing"),
        ({"pending_id": "", "verdict": "dismiss"}, "item 1: pending_id is missing"),
        ({"pending_id": 7, "verdict": "dismiss"}, "item 1: pending_id must be a text"),
        ({"pending_id": "p1"}, "p1: verdict is missing"),
        ({"pending_id": "p1", "verdict": ["dismiss"]}, "p1: verdict must be a text, not a list"),
        (
            {"pending_id": "p1", "verdict": "Contradictoin"},
            "p1: unknown verdict 'Contradictoin': did you mean 'contradiction'?",
        ),
        (
            {"pending_id": "p1", "verdict": "zzz"},
            "p1: unknown verdict 'zzz': say contradiction, revision, dismiss",
        ),
        (
            {"pending_id": "p1", "verdict": "dismiss", "confidence": 1.5},
            "p1: confidence must be between 0 and 1, not 1.5",
        ),
        (
            {"pending_id": "p1", "verdict": "dismiss", "confidence": 10**400},
            "p1: confidence must be between 0 and 1, not 1000",
        ),
        (
            {"pending_id": "p1", "verdict": "dismiss", "confidence": True},
            "p1: confidence must be a number, not true",
        ),
        (
            {"pending_id": "p1", "verdict": "dismiss", "confidence": "0.9"},
            "p1: confidence must be a number, not a text",
        ),
        (
            {"pending_id": "p1", "verdict": "dismiss", "reason": "x"},
            "p1: unknown field 'reason': did you mean reasoning?",
        ),
        (
            {"pending_id": "p1", "verdict": "dismiss", "reasoning": 3},
            "p1: reasoning must be a text, not a number",
        ),
        (
            {"pending_id": "p1", "verdict": "revision", "supersedes": "c"},
            "p1: supersedes must be a or b, not 'c'",
        ),
        (
            {"pending_id": "p1", "verdict": "dismiss", "supersedes": "a"},
            "p1: supersedes belongs to a revision, not to a dismiss",
        ),
        (
            {"pending_id": "p1", "verdict": "dismiss", "apply_to": "all"},
            "p1: apply_to must be pair or cluster, not 'all'",
        ),
        (
            {"pending_id": "p1", "verdict": "dismiss", "overrule": "yes"},
            "p1: overrule must be true or false, not a text",
        ),
    ],
)
def test_a_fault_of_a_verdict_is_named_before_anything_is_opened(hebbs, item, sentence):
    shown = hebbs("contradiction-commit", "--verdicts", json.dumps([item]))

    assert shown.code == 2
    assert sentence in shown.err
    assert "no verdict was applied" in shown.err
    assert "--partial" in shown.err
    assert hebbs.opened == []


def test_all_faults_of_a_batch_are_listed(hebbs):
    items = [
        {"pending_id": "p1", "verdict": "no", "confidence": 2, "x": 1},
        5,
        {"verdict": "dismiss"},
    ]

    shown = hebbs("contradiction-commit", "--verdicts", json.dumps(items))

    for part in ("unknown verdict", "confidence must", "unknown field 'x'", "item 2", "item 3"):
        assert part in shown.err


def test_stdin_that_is_no_text_is_refused(hebbs, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"[\xff]")))

    shown = hebbs("contradiction-commit", "--verdicts", "-")

    assert (shown.code, "not UTF-8 text" in shown.err) == (2, True)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["pending_id", "verdict", "confidence", "supersedes", "x"]), inner
        )
    ),
    max_leaves=12,
)


@given(st.lists(json_values, max_size=4))
def test_every_item_is_taken_or_named(items):
    good, faults = parse_verdicts(json.dumps(items))

    assert len(good) <= len(items)
    assert bool(faults) == (len(good) < len(items))


# ---------------------------------------------------------------- streams

PROGRAM = """
import sys
from cli_doubles import FakeHebbs, PENDING
from dataclasses import replace
from hebbs_index.cli.main import main
from hebbs_index.cli.session import Session
odd = replace(PENDING, content_a_snippet="caf\\u00e9 \\U0001f600 \\udcff")
fake = FakeHebbs(pending=(odd,) * {many})
sys.exit(main(sys.argv[1:], session=Session(opener=lambda path, **options: fake)))
"""


def start(*arguments: str, many: int = 1, **environ: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(many=many), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=process_environ(**environ),
        cwd=Path(__file__).parent,
    )


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_stream_that_cannot_write_a_character_escapes_it(encoding):
    process = start("contradiction-prepare", PYTHONIOENCODING=encoding)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (0, b"")
    assert b"caf" in out


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_json_stays_json_in_every_encoding(encoding):
    process = start("contradiction-prepare", "--json", PYTHONIOENCODING=encoding)
    out, _err = process.communicate(timeout=60)

    (pair,) = json.loads(out.decode(encoding))
    assert pair["content_a_snippet"] == "café 😀 \udcff"


def test_a_reader_that_leaves_early_ends_the_run_silently():
    process = start("contradiction-prepare", many=5000)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()

    err = process.stderr.read()
    process.stderr.close()

    assert err == b""
    assert process.wait(60) == 1


def test_a_message_moves_no_cursor(hebbs):
    hebbs.hebbs.answers["open"] = InputError("no \x1b[2J\nsecond line")

    assert hebbs("status").err == "hebbs: no \\x1b[2J\nsecond line\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_below_stdout_is_a_sentence():
    with Path("/dev/full").open("w") as full:
        done = run_hebbs("config", stdout=full)

    assert done.returncode == 1
    assert done.stderr == "hebbs: cannot write: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="closes a stream as POSIX shells do")
def test_a_closed_stdout_is_no_bug():
    done = run_hebbs("config", preexec_fn=lambda: os.close(1))

    assert (done.returncode, done.stderr) == (0, "")


def run_hebbs(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    code = "import sys; from hebbs_index.cli.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=process_environ(),
        **options,
    )
