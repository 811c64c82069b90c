"""Shell completion: the scripts load, and completing offers what can be typed."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from cli_doubles import CommandLine, process_environ


@pytest.fixture
def hebbs(capsys) -> CommandLine:
    return CommandLine(capsys)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_asks_the_program_for_completions(hebbs, shell):
    shown = hebbs("completion", shell)

    assert shown.code == 0
    assert f"_HEBBS_COMPLETE={shell}_complete" in shown.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_valid_in_its_shell(hebbs, shell):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = hebbs("completion", shell).out

    checked = subprocess.run([program, "-n"], input=script, text=True, check=False)

    assert checked.returncode == 0


def complete(words: str, position: int) -> list[str]:
    program = "import sys; from hebbs_index.cli.main import main; sys.exit(main())"
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env=process_environ(
            _HEBBS_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(position)
        ),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [line.partition(",")[2] for line in answer.stdout.splitlines()]


def test_commands_options_and_choices_are_offered():
    assert complete("hebbs contradiction", 1) == [
        "contradiction-prepare",
        "contradiction-commit",
        "contradictions",
    ]
    assert "--min-confidence" in complete("hebbs check --m", 2)
    assert complete("hebbs contradictions --state u", 3) == ["unmatched"]
