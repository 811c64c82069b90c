"""Do the tests notice? Plants small faults, one at a time, and runs the tests on each.

    python -m benchmarks.mutants                 twenty faults, the seed of the project
    python -m benchmarks.mutants --seed 5 --count 40 --jobs 2

The faults are drawn by a seeded generator from the modules that matter most: claims,
signals, plan, journals and store. Each is planted into a copy of the repository; the working
tree is only read. First the tests nearest to the module run, then, if they pass, all the
others. What survives is printed as a diff: some survivors change nothing that can be seen
from outside, the others name a missing test. Exit code 0 means nine in ten were caught.
"""

from __future__ import annotations

import argparse
import difflib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

from benchmarks.faults import Fault, faults_in

REPOSITORY = Path(__file__).parent.parent
SEED = 2
COUNT = 20
ENOUGH = 0.9
NEAR_TIMEOUT, WHOLE_TIMEOUT = 600, 3600  # seconds; a fault that hangs the tests is caught

IGNORED = shutil.ignore_patterns(
    ".git",
    ".venv",
    "venv",
    ".hebbs",
    "__pycache__",
    ".*_cache",
    "*.egg-info",
    "dist",
    "build",
    ".hypothesis",
)


@dataclass(frozen=True, slots=True)
class Area:
    """Modules that faults are planted in, and the tests nearest to them (glob patterns)."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


AREAS = {
    "claims": Area(
        ("layers/claim*.py", "layers/claim*/*.py"),
        ("test_claim*.py", "test_judge*.py", "test_kind*.py", "test_analyze*.py"),
    ),
    "signals": Area(
        ("contradictions/signal*.py", "contradictions/signals/*.py", "contradictions/guards.py",
         "contradictions/quantities.py", "contradictions/label.py"),
        ("test_signal*.py", "test_guard*.py", "test_quantit*.py", "test_label*.py",
         "test_judge*.py", "test_kind*.py"),
    ),
    "plan": Area(
        ("watch/plan.py",),
        ("test_plan*.py", "test_scan*.py", "test_index*.py", "test_update*.py"),
    ),
    "journals": Area(
        ("journal.py", "synchronize.py"),
        ("test_journal*.py", "test_review*.py", "test_index*.py", "test_update*.py"),
    ),
    "store": Area(
        ("store/*.py",),
        ("test_store*.py", "test_database*.py", "test_migration*.py", "test_locks*.py",
         "test_vector*.py", "test_verify*.py", "test_index*.py", "test_update*.py"),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault in a module of an area."""

    area: str
    path: str  # relative to the repository
    source: str  # of the module without the fault
    fault: Fault


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant: the test that caught it, or None."""

    mutant: Mutant
    caught_by: str | None


def draw(seed: int, count: int) -> list[Mutant]:
    """Draw faults, equally many an area, of as many kinds as an area offers."""
    generator = random.Random(seed)
    drawn: list[Mutant] = []
    for number, area in enumerate(AREAS):
        share = count // len(AREAS) + (number < count % len(AREAS))
        drawn += _of_many_kinds(_candidates(area), share, generator)
    return drawn


def _candidates(area: str) -> list[Mutant]:
    package = REPOSITORY / "hebbs_index"
    paths = sorted({path for glob in AREAS[area].modules for path in package.glob(glob)})
    if not paths:
        raise SystemExit(f"no module of the area {area} exists")
    return [mutant for path in paths for mutant in _mutants_of(area, path)]


def _mutants_of(area: str, path: Path) -> Iterator[Mutant]:
    source = path.read_text(encoding="utf-8")
    name = path.relative_to(REPOSITORY).as_posix()
    for fault in faults_in(source):
        yield Mutant(area, name, source, fault)


def _of_many_kinds(
    candidates: list[Mutant], count: int, generator: random.Random
) -> Iterator[Mutant]:
    generator.shuffle(candidates)
    used: dict[str, int] = {}
    for _ in range(min(count, len(candidates))):
        chosen = min(candidates, key=lambda mutant: used.get(mutant.fault.what, 0))
        candidates.remove(chosen)
        used[chosen.fault.what] = used.get(chosen.fault.what, 0) + 1
        yield chosen


class Copies:
    """Copies of the repository, one a job, each handed to one mutant at a time."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self._free: Queue[Path] = Queue()
        for number in range(jobs):
            copy = folder / f"copy{number}"
            shutil.copytree(REPOSITORY, copy, ignore=IGNORED)
            self._free.put(copy)

    @contextmanager
    def borrow(self) -> Iterator[Path]:
        copy = self._free.get()
        try:
            yield copy
        finally:
            self._free.put(copy)


def try_mutant(mutant: Mutant, copies: Copies, without: Sequence[str]) -> Outcome:
    """Plant a fault, run the nearest tests and then the rest, and take it out again."""
    with copies.borrow() as copy:
        module = copy / mutant.path
        module.write_text(mutant.fault.plant(mutant.source), encoding="utf-8")
        try:
            near = near_tests(copy, mutant.area)
            caught = run_tests(copy, near, NEAR_TIMEOUT, without=without) if near else []
            caught = caught or run_tests(copy, ["tests"], WHOLE_TIMEOUT, without=without)
        finally:
            module.write_text(mutant.source, encoding="utf-8")
        if caught and "::" in caught[0] and run_tests(copy, caught[:1], NEAR_TIMEOUT):
            caught = []  # it fails without the fault as well: a busy machine, no catch
    return Outcome(mutant, caught[0] if caught else None)


def near_tests(copy: Path, area: str) -> list[str]:
    """The test files of an area, in the order in which the area names them."""
    found = (path for glob in AREAS[area].tests for path in sorted((copy / "tests").glob(glob)))
    return list(dict.fromkeys(path.relative_to(copy).as_posix() for path in found))


def run_tests(
    copy: Path,
    tests: Sequence[str],
    timeout: float,
    *,
    without: Sequence[str] = (),
    options: Sequence[str] = ("-x",),
) -> list[str]:
    """Run tests in a copy, up to the first failure unless told otherwise; name what failed."""
    # One seed for the property tests: they draw the same with and without the fault.
    fixed = ["-q", "-p", "no:cacheprovider", "--no-header", "--hypothesis-seed=0", *options]
    left_out = [f"--deselect={test}" for test in without]
    command = [sys.executable, "-B", "-m", "pytest", *fixed, *left_out, *tests]
    environment = dict(os.environ, PYTHONPATH=str(copy))  # also for processes that tests start
    try:
        done = subprocess.run(
            command,
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ["tests that no longer end"]
    if done.returncode == 0:
        return []
    failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return failed or [f"pytest exit code {done.returncode}"]


def difference(mutant: Mutant) -> str:
    """The fault as a unified diff."""
    changed = mutant.fault.plant(mutant.source)
    lines = difflib.unified_diff(
        mutant.source.splitlines(), changed.splitlines(), mutant.path, mutant.path, lineterm="", n=3
    )
    return "\n".join(lines)


def report(outcomes: Sequence[Outcome]) -> str:
    """A table of all faults, then the diffs of those that survived."""
    lines = ["| area | place | fault | caught by |", "|---|---|---|---|"]
    for outcome in outcomes:
        mutant = outcome.mutant
        place = f"{mutant.path}:{mutant.fault.line}"
        caught = outcome.caught_by or "**nothing**"
        lines.append(f"| {mutant.area} | {place} | {mutant.fault.what} | {caught} |")
    survivors = [outcome.mutant for outcome in outcomes if outcome.caught_by is None]
    lines += ["", f"Caught {len(outcomes) - len(survivors)} of {len(outcomes)}.", ""]
    lines += [difference(mutant) + "\n" for mutant in survivors]
    return "\n".join(lines)


def hunt(seed: int, count: int, jobs: int, say: Callable[[str], None]) -> list[Outcome]:
    """Try the faults that a seed draws. A test that fails without any fault is left out."""
    mutants = draw(seed, count)
    with tempfile.TemporaryDirectory(prefix="hebbs-mutants-") as folder:
        copies = Copies(Path(folder), jobs)
        with copies.borrow() as copy:
            say("the tests without a fault")
            without = run_tests(copy, ["tests"], WHOLE_TIMEOUT, options=())
        for test in without:
            say(f"left out, because it fails without a fault: {test}")

        def attempt(mutant: Mutant) -> Outcome:
            outcome = try_mutant(mutant, copies, without)
            say(f"{mutant.path}:{mutant.fault.line} {mutant.fault.what}: {outcome.caught_by}")
            return outcome

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(attempt, mutants))


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant the faults, print the table and the survivors."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.mutants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT, help="how many faults")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once")
    parser.add_argument("--list", action="store_true", help="only show the faults")
    options = parser.parse_args(arguments)
    if options.list:
        print("\n".join(difference(mutant) for mutant in draw(options.seed, options.count)))
        return 0
    outcomes = hunt(
        options.seed, options.count, options.jobs, lambda text: print(text, file=sys.stderr)
    )
    print(report(outcomes))
    caught = sum(outcome.caught_by is not None for outcome in outcomes)
    return 0 if caught >= ENOUGH * len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
