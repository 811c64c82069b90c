"""Starting is cheap: commands that need no model import none, and help imports next to nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli_doubles import process_environ

HEAVY = ("spacy", "onnxruntime", "usearch", "sklearn", "tokenizers", "thinc")

PROBE = """
import sys
from hebbs_index.cli.main import main
code = main(sys.argv[1:])
print("\\n".join(sorted({name.split(".")[0] for name in sys.modules})), file=sys.stderr)
sys.exit(code)
"""


def imported(*arguments: str, cwd: Path) -> tuple[int, set[str]]:
    """Run a command in a fresh process; its exit code and the top-level modules it loaded."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=process_environ(),
        check=False,
        timeout=60,
    )
    return done.returncode, set(done.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("index", "--help"),
        ("completion", "bash"),
        ("config",),
    ],
)
def test_what_opens_no_index_imports_no_library_but_click(tmp_path, arguments):
    code, modules = imported(*arguments, cwd=tmp_path)

    assert code == 0
    assert not modules & {*HEAVY, "numpy", "rich", "sqlite3", "watchdog", "yaml"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",),
        ("list",),
        ("contradiction-prepare",),
        ("contradiction-commit", "--verdicts", "[]"),
        ("contradictions",),
        ("check",),
    ],
)
def test_what_only_reads_imports_no_model(tmp_path, arguments):
    made, _modules = imported("init", cwd=tmp_path)
    code, modules = imported(*arguments, cwd=tmp_path)

    assert (made, code) == (0, 0)
    assert not modules & {*HEAVY, "rich"}


def test_inspecting_what_is_not_there_imports_no_model_either(tmp_path):
    imported("init", cwd=tmp_path)
    code, modules = imported("inspect", "a.md", cwd=tmp_path)

    assert code == 2
    assert not modules & {*HEAVY, "rich"}
