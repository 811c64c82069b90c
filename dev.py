"""Set up and run this project with one command: `python3 dev.py demo`, `test` or `check`.

Needs Python and nothing else. Makes a virtual environment in `.venv` (or in the folder
that HEBBS_VENV names), installs the package with the pinned versions of
`constraints.txt`, and runs the job in it. A second run installs nothing as long
as `pyproject.toml` and `constraints.txt` stay as they are.

    demo   index examples/corpus and show what disagrees in it
    test   run the tests; further arguments go to pytest
    check  ruff, mypy and the tests, as CI does; further arguments go to pytest
"""

import hashlib
import os
import shlex
import subprocess
import sys
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 13)
if not OLDEST <= sys.version_info[:2] <= NEWEST:
    sys.exit(
        "dev.py: hebbs-index runs on Python 3.11 to 3.13, and this is Python "
        f"{sys.version_info[0]}.{sys.version_info[1]}. Run it with another one: python3.11 dev.py"
    )

ROOT = Path(__file__).resolve().parent
CORPUS = "examples/corpus"
MODELS, EVERYTHING = ("models",), ("models", "dev")


class Environment:
    """The virtual environment that everything runs in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.programs / ("python.exe" if os.name == "nt" else "python")
        self.stamp = folder / "hebbs-index-installed.txt"

    def provide(self, extras: tuple[str, ...]) -> None:
        """Make the environment and install what is not installed yet."""
        if not self._works():
            self._create()
        wanted = [fingerprint(), *extras]
        installed = self.stamp.read_text().split() if self.stamp.exists() else []
        if installed[:1] == wanted[:1] and set(wanted) <= set(installed):
            return
        requirement = f".[{','.join(extras)}]"
        self.run(
            "python", "-m", "pip", "install", "--quiet", "-c", "constraints.txt", "-e", requirement
        )
        self.stamp.write_text(" ".join(wanted))

    def run(self, program: str, *arguments: str, check: bool = True) -> int:
        """Run a program of the environment, saying so; a failure ends dev.py if checked."""
        return run(str(self.programs / program), *arguments, check=check)

    def _works(self) -> bool:
        if not self.python.exists():
            return False
        probe = [str(self.python), "-c", "import pip"]
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0

    def _create(self) -> None:
        occupied = self.folder.exists() and any(self.folder.iterdir())
        if occupied and not (self.folder / "pyvenv.cfg").exists():
            sys.exit(f"dev.py: {self.folder} is not a virtual environment; name another folder")
        if run(sys.executable, "-m", "venv", "--clear", str(self.folder), check=False):
            sys.exit(
                "dev.py: this Python cannot make virtual environments. Install its venv part "
                "(on Debian and Ubuntu the package python3-venv) and try again."
            )


def run(*command: str, check: bool = True) -> int:
    """Print a command and run it in the project's folder."""
    print(f"+ {shlex.join(command)}", file=sys.stderr, flush=True)
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if check and code:
        sys.exit(f"dev.py: that failed with exit code {code}")
    return code


def fingerprint() -> str:
    """Hash of what decides the installation."""
    hasher = hashlib.sha256(str(ROOT).encode())
    for name in ("pyproject.toml", "constraints.txt"):
        hasher.update((ROOT / name).read_bytes())
    return hasher.hexdigest()


def demo(environment: Environment) -> int:
    """Index the example corpus and show what disagrees in it."""
    environment.provide(MODELS)
    shown_before = (ROOT / ".hebbs").exists()
    code = environment.run("hebbs", "index", CORPUS, check=False)
    if shown_before and code == 0:  # then the run above found nothing new to show
        code = environment.run(
            "hebbs", "contradiction-prepare", "--limit", "20", CORPUS, check=False
        )
    program = environment.programs / "hebbs"
    print(f"\nGo on with: {program} watch {CORPUS}, or {program} --help", file=sys.stderr)
    return code


def test(environment: Environment, *arguments: str) -> int:
    """Run the tests on two processes."""
    environment.provide(EVERYTHING)
    return environment.run("python", "-m", "pytest", "-n", "2", *arguments, check=False)


def check(environment: Environment, *arguments: str) -> int:
    """Run the linter, the formatter, the type checker and the tests; all of them, always."""
    environment.provide(EVERYTHING)
    steps = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",))
    codes = [environment.run("python", "-m", *step, check=False) for step in steps]
    return test(environment, *arguments) or max(codes)


def main(arguments: list[str]) -> int:
    """Do one job and give its exit code."""
    jobs = {"demo": demo, "test": test, "check": check}
    if not arguments or arguments[0] not in jobs or (arguments[0] == "demo" and arguments[1:]):
        print(__doc__, file=sys.stderr)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    folder = Path(os.environ.get("HEBBS_VENV") or ROOT / ".venv").expanduser().absolute()
    try:
        return jobs[arguments[0]](Environment(folder), *arguments[1:])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
