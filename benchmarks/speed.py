"""How fast the tool is, and how much of that is the models it has to run.

    python -m benchmarks.speed
    python -m benchmarks.speed FOLDER ... --repeat 3

prints a Markdown table, one column a folder. Without folders it takes those in
HEBBS_CORPORA, and without that variable the example corpus. Every folder is copied first;
the originals are only read. `README.md` says what the rows mean.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from benchmarks.tasks import REPOSITORY, Result, run

EXAMPLE = REPOSITORY / "examples" / "corpus"
SETTLE_SECONDS = 2.5  # files changed within 2 s before a read are hashed again next time
STARTUPS = 7
LIBRARIES = ("spacy", "onnxruntime", "tokenizers", "numpy", "usearch")

# Commands that need no model; `python -c pass` is what any Python command costs.
COMMANDS: dict[str, tuple[str, ...]] = {
    "python -c pass": ("-c", "pass"),
    "--version": ("-m", "hebbs_index", "--version"),
    "status": ("-m", "hebbs_index", "status"),
    "list": ("-m", "hebbs_index", "list"),
    "contradiction-prepare": (
        "-m",
        "hebbs_index",
        "contradiction-prepare",
        "--format",
        "json",
        "--limit",
        "10",
    ),
}


@dataclass(slots=True)
class Measured:
    """Everything measured on one folder; runs that were repeated are lists."""

    name: str
    texts: Result = field(default_factory=dict)
    index: list[Result] = field(default_factory=list)
    language: list[Result] = field(default_factory=list)
    embedding: list[Result] = field(default_factory=list)
    unchanged: Result = field(default_factory=dict)
    edit: Result = field(default_factory=dict)
    walk: Result = field(default_factory=dict)
    startup: dict[str, float] = field(default_factory=dict)


def measure(folder: Path, repeat: int, say: Callable[[str], None]) -> Measured:
    """Run every task on a copy of a folder; index runs and limits take turns."""
    found = Measured(folder.name)
    with tempfile.TemporaryDirectory(prefix="hebbs-speed-") as temporary:
        root = Path(temporary) / folder.name
        texts = str(Path(temporary) / "texts.json")
        say(f"{folder.name}: collecting what the models have to read")
        found.texts = run("collect", corpus=str(folder), texts=texts)
        for number in range(repeat):
            say(f"{folder.name}: index and limit, run {number + 1} of {repeat}")
            _copy_settled(folder, root)
            found.index.append(run("index", root=str(root)))
            found.language.append(_read_blocks(texts))
            found.embedding.append(run("embed_texts", texts=texts))
        say(f"{folder.name}: second run, start-up, one edit")
        found.unchanged = run("index", root=str(root))
        found.walk = run("walk", root=str(root))
        found.startup = _startups(root)
        found.edit = run("edit", root=str(root), path=str(_middle_file(root)))
    return found


def _read_blocks(texts: str) -> Result:
    """Only spaCy: one process, or one a core with its share of the texts, whichever is faster."""
    cores = os.cpu_count() or 1
    single = run("read_blocks", texts=texts)
    with ThreadPoolExecutor(cores) as pool:
        jobs = [
            pool.submit(run, "read_blocks", texts=texts, part=part, parts=cores)
            for part in range(cores)
        ]
        shares = [job.result() for job in jobs]
    together = dict(single, seconds=max(float(share["seconds"]) for share in shares))
    return min(single, together, key=lambda result: float(result["seconds"]))


def _copy_settled(folder: Path, root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(folder, root, ignore=shutil.ignore_patterns(".hebbs"))
    time.sleep(SETTLE_SECONDS)


def _middle_file(root: Path) -> Path:
    """The Markdown (else any) text of median size."""
    files = sorted(root.rglob("*.md")) or sorted(root.rglob("*.rst")) or sorted(root.rglob("*.txt"))
    by_size = sorted(files, key=lambda file: (file.stat().st_size, file.name))
    return by_size[len(by_size) // 2]


def _startups(root: Path) -> dict[str, float]:
    """Least wall seconds of each command, taking turns so that noise hits all alike."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    environment = dict(os.environ, HEBBS_ROOT=str(root))
    for _ in range(STARTUPS):
        for name, arguments in COMMANDS.items():
            started = time.perf_counter()
            done = subprocess.run(
                [sys.executable, *arguments],
                cwd=REPOSITORY,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            times[name].append(time.perf_counter() - started)
            if done.returncode != 0:
                raise RuntimeError(f"{name} failed ({done.returncode}): {done.stderr[-500:]}")
    return {name: min(seconds) for name, seconds in times.items()}


# -- the table -----------------------------------------------------------------


def _median(results: Sequence[Result], key: str = "seconds") -> float:
    return statistics.median(float(result[key]) for result in results)


def _limit(m: Measured) -> float:
    return _median(m.language) + _median(m.embedding)


def _share(m: Measured) -> float:
    """Share of the limit reached: the median over runs of limit divided by index time."""
    shares = [
        (language["seconds"] + embedding["seconds"]) / index["seconds"]
        for index, language, embedding in zip(m.index, m.language, m.embedding, strict=True)
    ]
    return float(statistics.median(shares))


def _processor_share(m: Measured) -> str:
    limit = _median(m.language, "cpu") + _median(m.embedding, "cpu")
    spent = _median(m.index, "cpu")
    return f"{limit / spent:.0%} ({limit:.1f} of {spent:.1f} s)"


def _judgement(m: Measured) -> str:
    return f"{m.texts['judge_seconds'] / max(1, m.texts['judged']) * 1e6:.0f} us"


def _bare(m: Measured, command: str) -> str:
    seconds = m.startup[command]
    return f"{seconds * 1000:.0f} ms (+{(seconds - m.startup['python -c pass']) * 1000:.0f})"


ROWS: tuple[tuple[str, Callable[[Measured], str]], ...] = (
    ("documents", lambda m: f"{m.index[-1]['documents']:,}"),
    (
        "propositions (distinct texts)",
        lambda m: f"{m.index[-1]['propositions']:,} ({m.texts['distinct']:,})",
    ),
    ("**index, first run**", lambda m: f"{_median(m.index):.1f} s"),
    ("propositions a second", lambda m: f"{m.index[-1]['propositions'] / _median(m.index):,.0f}"),
    ("limit: spaCy + embedding", lambda m: f"{_limit(m):.1f} s"),
    (
        "spaCy alone",
        lambda m: (
            f"{_median(m.language):.1f} s, {m.language[-1]['tokens'] / _median(m.language):,.0f}"
            " tokens/s"
        ),
    ),
    (
        "embedding alone",
        lambda m: (
            f"{_median(m.embedding):.1f} s, "
            f"{m.embedding[-1]['texts'] / _median(m.embedding):,.0f} texts/s"
        ),
    ),
    (
        "ways to embed, on a sample",
        lambda m: (
            f"own {m.embedding[-1]['own_rate']:.0f}/s, "
            f"one by one {m.embedding[-1]['one_by_one_rate']:.0f}/s"
        ),
    ),
    (
        "loading both models (not in the limit)",
        lambda m: f"{_median(m.language, 'loading') + _median(m.embedding, 'loading'):.1f} s",
    ),
    ("**share of the limit reached**", lambda m: f"{_share(m):.0%}"),
    (
        "the same by processor time",
        _processor_share,
    ),
    ("peak memory of the first run", lambda m: f"{_median(m.index, 'peak_mb'):,.0f} MB"),
    ("**second run, nothing changed**", lambda m: f"{m.unchanged['seconds'] * 1000:.0f} ms"),
    (
        "its files read, texts embedded, texts parsed",
        lambda m: (
            f"{m.unchanged['files_read']}, {m.unchanged['embedded_texts']}, "
            f"{m.unchanged['language_texts']}"
        ),
    ),
    ("listing and stat of the same files", lambda m: f"{m.walk['seconds'] * 1000:.1f} ms"),
    ("**one paragraph edited**, models cold", lambda m: f"{m.edit['cold']:.2f} s"),
    ("the same, models warm", lambda m: f"{m.edit['warm'] * 1000:.0f} ms"),
    (
        "its files read, texts embedded, statements checked",
        lambda m: (
            f"{m.edit['files_read']}, {m.edit['embedded_texts']}, {m.edit['statements_checked']}"
        ),
    ),
    ("pairs judged by the first run", lambda m: f"{m.index[-1]['pairs_judged']:,}"),
    ("one judgement", _judgement),
    ("open contradictions", lambda m: f"{m.index[-1]['pending']:,}"),
    ("start: `python -c pass`", lambda m: f"{m.startup['python -c pass'] * 1000:.0f} ms"),
    ("start: `hebbs --version`", lambda m: _bare(m, "--version")),
    ("start: `hebbs status`", lambda m: _bare(m, "status")),
    ("start: `hebbs list`", lambda m: _bare(m, "list")),
    ("start: `hebbs contradiction-prepare`", lambda m: _bare(m, "contradiction-prepare")),
)


def table(columns: Sequence[Measured]) -> str:
    """The measurements as a Markdown table."""
    lines = [
        "| | " + " | ".join(m.name for m in columns) + " |",
        "|---|" + "--:|" * len(columns),
    ]
    for label, cell in ROWS:
        lines.append(f"| {label} | " + " | ".join(cell(m) for m in columns) + " |")
    return "\n".join(lines)


def machine() -> str:
    """The machine and the versions that the figures belong to."""
    versions = ", ".join(f"{library} {version(library)}" for library in LIBRARIES)
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


def _folders(named: Sequence[Path]) -> list[Path]:
    if named:
        return list(named)
    corpora = os.environ.get("HEBBS_CORPORA")
    if corpora:
        return sorted(path for path in Path(corpora).iterdir() if path.is_dir())
    return [EXAMPLE]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the folders and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", nargs="*", type=Path, help="folders of documents")
    parser.add_argument("--repeat", type=int, default=1, help="index runs a folder (median)")
    options = parser.parse_args(arguments)
    folders = _folders(options.folders)
    missing = [str(folder) for folder in folders if not folder.is_dir()]
    if missing:
        parser.error(f"no such folder: {', '.join(missing)}")
    columns = [
        measure(folder.resolve(), max(1, options.repeat), lambda text: print(text, file=sys.stderr))
        for folder in folders
    ]
    print(machine(), table(columns), sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
