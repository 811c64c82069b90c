"""What belongs to the corpus: git's rules, the tool's own, and nothing hidden.

`.gitignore` and `.hebbsignore` count at every level, also above the corpus up to the top of
its git work tree, as does `.git/info/exclude`. As in git, nothing below an ignored
folder comes back. Hidden files, version control and the droppings of editors are never corpus.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".hebbsignore")
NEVER_FOLDERS = frozenset({"node_modules", "__pycache__", "CVS"})
_LEFT_BEHIND = re.compile(
    r".*~|#.*#|\.#.*|~\$.*|4913|.*\.(?:sw[a-z]|tmp|bak|orig|part|crdownload)|\.goutputstream-.*",
    re.IGNORECASE,
)


class Ignore:
    """One predicate for a root; ask it about folders before their content.

    Patterns of a folder are read once in the life of an `Ignore`; make a new one for a new scan.
    """

    def __init__(
        self, root: Path, *, include: Sequence[str] = (), exclude: Sequence[str] = ()
    ) -> None:
        self._root = root
        self._include = GitIgnoreSpec.from_lines(include) if include else None
        self._exclude = GitIgnoreSpec.from_lines(exclude) if exclude else None
        self._specs: dict[str, GitIgnoreSpec | None] = {}

    def ignores(self, path: str, *, folder: bool) -> bool:
        """Whether a path (POSIX, below the root) is left out, its parents being in."""
        return self.reason(path, folder=folder) is not None

    def reason(self, path: str, *, folder: bool) -> str | None:
        """The rule by which a path is left out, its parents being in; None if it is in."""
        name = path.rpartition("/")[2]
        if name.startswith("."):
            return "hidden"
        if folder and name in NEVER_FOLDERS:
            return f"{name} folders are never documents"
        if not folder and _LEFT_BEHIND.fullmatch(name):
            return "a temporary file of an editor"
        return self._pattern_reason(path, folder)

    def explain(self, path: str) -> str | None:
        """The rule that leaves a file out, looking at its parent folders first."""
        parts = path.split("/")
        for end in range(1, len(parts)):
            reason = self.reason("/".join(parts[:end]), folder=True)
            if reason is not None:
                return f"{'/'.join(parts[:end])}: {reason}"
        return self.reason(path, folder=False)

    def _pattern_reason(self, path: str, folder: bool) -> str | None:
        matched = path + "/" if folder else path
        if self._exclude is not None and self._exclude.match_file(matched):
            return "excluded by the configuration"
        if not folder and self._include is not None and not self._include.match_file(matched):
            return "not included by the configuration"
        return "matches an ignore file" if self._ignored_by_files(matched) else None

    def _ignored_by_files(self, matched: str) -> bool:
        """Ask the ignore files from the nearest folder outward; the first that decides wins."""
        folder = matched.rstrip("/").rpartition("/")[0]
        while True:
            spec = self._spec_of(folder)
            below = matched[len(folder) + 1 :] if folder else matched
            if spec is not None:
                decision = spec.check_file(below).include
                if decision is not None:
                    return decision
            if not folder:
                return self._ignored_from_above(matched)
            folder = folder.rpartition("/")[0]

    def _spec_of(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            self._specs[folder] = _read_spec(self._root / folder)
        return self._specs[folder]

    @cached_property
    def _above(self) -> list[tuple[str, GitIgnoreSpec]]:
        """Ignore files above the root, nearest first, each with the root's path below it."""
        top = _work_tree(self._root)
        if top is None:
            return []
        found: list[tuple[str, GitIgnoreSpec]] = []
        for folder in self._root.parents:
            if not folder.is_relative_to(top):
                break
            spec = _read_spec(folder)
            if spec is not None:
                found.append((self._root.relative_to(folder).as_posix(), spec))
        exclude = _read_lines(top / ".git" / "info" / "exclude")
        if exclude:
            prefix = self._root.relative_to(top).as_posix()
            found.append(("" if prefix == "." else prefix, GitIgnoreSpec.from_lines(exclude)))
        return found

    def _ignored_from_above(self, matched: str) -> bool:
        for prefix, spec in self._above:
            decision = spec.check_file(f"{prefix}/{matched}" if prefix else matched).include
            if decision is not None:
                return decision
        return False


def _work_tree(folder: Path) -> Path | None:
    """The top of the git work tree that a folder lies in."""
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return None


def _read_spec(folder: Path) -> GitIgnoreSpec | None:
    lines = [line for name in IGNORE_FILES for line in _read_lines(folder / name)]
    return GitIgnoreSpec.from_lines(lines) if lines else None


def _read_lines(path: Path) -> list[str]:
    """Lines of an ignore file; none if it is missing or not ours to read."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
