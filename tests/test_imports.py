"""Imports point one way, heavy ones stay inside functions, and light commands stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hebbs_index

PACKAGE = Path(hebbs_index.__file__).parent
HEAVY = {"spacy", "onnxruntime", "usearch", "sklearn", "tokenizers", "thinc"}
ABOVE_THE_STORE = {"review", "verdicts"}  # of contradictions: they read the queue


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        yield name.removesuffix(".__init__"), ast.parse(path.read_text())


def imported(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return found


def own(names: set[str]) -> set[str]:
    return {name.removeprefix("hebbs_index.") for name in names if name.startswith("hebbs_index.")}


def top_level(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= imported(node)
    return found


FORBIDDEN = {
    "layers": {
        "store",
        "contradictions",
        "watch",
        "index",
        "update",
        "cli",
        "workspace",
        "journal",
    },
    "contradictions": {"store", "layers", "watch", "index", "update", "cli", "workspace"},
    "store": {"layers", "contradictions", "watch", "index", "update", "cli", "workspace", "models"},
    "watch": {"layers", "contradictions", "store", "index", "update", "cli", "workspace"},
    "index": {"cli"},
    "update": {"cli", "index"},
}


@pytest.mark.parametrize("part", FORBIDDEN)
def test_imports_point_one_way(part):
    wrong = []
    for name, tree in modules():
        if name.split(".")[0] != part or name.split(".")[-1] in ABOVE_THE_STORE:
            continue
        wrong += [
            f"{name} imports {other}"
            for other in own(imported(tree))
            if other.split(".")[0] in FORBIDDEN[part]
        ]
    assert not wrong


def test_records_ids_and_errors_import_nothing_above_them():
    allowed = {"records", "ids", "errors", "reports", "version"}
    for name, tree in modules():
        if name in ("records", "ids", "errors"):
            assert {other.split(".")[0] for other in own(imported(tree))} <= allowed


def test_heavy_libraries_are_imported_inside_functions():
    wrong = [
        f"{name} imports {other}"
        for name, tree in modules()
        for other in top_level(tree)
        if other.split(".")[0] in HEAVY
    ]
    assert not wrong


def test_every_module_says_what_it_is_for():
    silent = [name for name, tree in modules() if tree.body and not ast.get_docstring(tree)]
    assert not silent


LIGHT = [["status", "--json"], ["contradiction-prepare", "--json"], ["list"], ["contradictions"]]


@pytest.mark.parametrize("command", LIGHT, ids=lambda command: command[0])
def test_commands_that_read_load_no_model(command, tmp_path):
    (tmp_path / "hebbs.toml").write_text("")
    code = (
        "import sys\n"
        "from hebbs_index.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        "loaded = {'spacy', 'onnxruntime', 'sklearn', 'usearch'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
