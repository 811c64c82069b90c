"""Kill `hebbs index` and `hebbs watch` at random moments and see whether the next run catches up.

Each trial edits a few files of a copy of a real corpus, starts one of the two, and sends SIGKILL
after a random time; after it a verdict is written on some pending pair. In the end a full run
must give the very records of a fresh index of the same files and journals, with nothing doubled and
nothing lost, and the files themselves must be untouched.

    python benchmarks/kill.py CORPUS [--trials 20] [--seed 1] [--longest 6] [--from-nothing]
"""

from __future__ import annotations

import argparse
import hashlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hebbs_index.index import Hebbs
from hebbs_index.reports import ContradictionVerdictInput

EDITED = 3  # files edited before each trial
STATE = ".hebbs"


def main() -> int:
    """Run the trials; exit code 1 if the end result differs from a fresh index."""
    options = _options()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "corpus"
        shutil.copytree(options.corpus, root)
        _make_writable(root)
        if not options.from_nothing:
            with Hebbs.open(root, root=root, create=True) as hebbs:
                hebbs.index()
        for trial in range(options.trials):
            _edit(root)
            before = _digest(root)
            _run_and_kill(root, trial, random.uniform(0.3, options.longest))
            if _digest(root) != before:
                print(f"trial {trial}: the files were touched")
                return 1
            _rule_on_something(root)
        return _compare(root, Path(folder) / "fresh")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=6.0, help="seconds before the kill")
    parser.add_argument(
        "--from-nothing", action="store_true", help="kill the first index run, not later ones"
    )
    return parser.parse_args()


def _make_writable(root: Path) -> None:
    for path in [root, *root.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)


def _files(root: Path) -> list[Path]:
    return sorted(
        path
        for path in root.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.parts)
    )


def _digest(root: Path) -> str:
    total = hashlib.sha256()
    for path in _files(root):
        total.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return total.hexdigest()


def _edit(root: Path) -> None:
    """Append to some files, move one, delete one now and then."""
    files = [path for path in _files(root) if path.suffix in (".md", ".rst", ".txt")]
    for path in random.sample(files, min(EDITED, len(files))):
        number = random.randint(1, 9)
        with path.open("ab") as stream:
            stream.write(f"\n\nThe retry limit of this page is {number} attempts.\n".encode())
    moved = random.choice(files)
    moved.rename(moved.with_name(f"moved-{random.randint(0, 10**6)}-{moved.name}"))


def _run_and_kill(root: Path, trial: int, seconds: float) -> None:
    verb = "watch" if trial % 2 else "index"
    command = [sys.executable, "-m", "hebbs_index", verb, str(root), "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _out, errors = process.communicate(timeout=seconds)
        state = f"ended by itself with {process.returncode}"
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        _out, errors = process.communicate()
        state = "killed"
    print(f"trial {trial}: {verb} {state} after {seconds:.1f} s {errors.decode()[-200:]}".rstrip())


def _rule_on_something(root: Path) -> None:
    """Rule on a pending pair, so that verdicts are at stake too."""
    with Hebbs.open(root, root=root, create=True) as hebbs:
        pending = hebbs.contradiction_prepare(limit=1)
        if pending:
            verdict = random.choice(["contradiction", "revision", "dismiss"])
            hebbs.contradiction_commit(
                [ContradictionVerdictInput(pending[0].pending_id, verdict, 0.9, "kill trial")]
            )


def _compare(root: Path, fresh: Path) -> int:
    started = time.monotonic()
    shutil.copytree(root, fresh, ignore=shutil.ignore_patterns(STATE))
    (fresh / STATE).mkdir()
    for name in ("verdicts.jsonl", "memory.jsonl"):
        if (root / STATE / name).exists():
            shutil.copy(root / STATE / name, fresh / STATE / name)
    dumps = []
    for folder in (root, fresh):
        with Hebbs.open(folder, root=folder, create=True) as hebbs:
            report = hebbs.index()
            dumps.append(hebbs._workspace.store.dump_derived())
            healthy = hebbs.verify().healthy
            rulings = len(hebbs.contradictions("all")) - len(hebbs.contradictions("open"))
            print(
                f"{folder.name}: {report.documents} documents, {report.propositions} propositions,"
                f" {report.pending} pending, {rulings} rulings, healthy {healthy}"
            )
            if not healthy:
                return 1
    same = dumps[0] == dumps[1]
    if not same:
        differing = [key for key in dumps[0] if dumps[0][key] != dumps[1].get(key)]
        print(f"differing parts: {differing}")
    verdict, seconds = "equal" if same else "NOT equal", time.monotonic() - started
    print(f"after all kills the index is {verdict} to a fresh one ({seconds:.0f} s)")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
