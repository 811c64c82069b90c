"""One predicate for what is corpus and what is not.

The rules are git's, read from `.gitignore` at every level (those above the corpus too,
up to the root of the git work tree) and from `.git/info/exclude`; from `.hebbsignore`,
which has the same syntax at every level; and from the configuration. The first of these
that speaks of a path decides:

1. `exclude` of the configuration
2. `.hebbsignore`, deepest first
3. built in: hidden files, version control, `node_modules`, what editors leave behind
4. `.gitignore`, deepest first, then `.git/info/exclude`

What is built in is lifted only by a `!` line of the first two that writes the name's dot
out (`!.github/`); folders of version control and our own never are. `include`, if there is
one, then leaves only files that match it. Nothing below a folder that is out can come
back in. The corpus root itself is in, whatever is said about it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hebbs_index.records import FileProblem, FileStat
from hebbs_index.watch.patterns import Pattern, PatternList, parse_patterns
from hebbs_index.watch.reading import GONE, Unsteady, Unsuitable, file_stat, read_steady, reason

GIT_FILE = ".gitignore"
OWN_FILE = ".hebbsignore"
IGNORE_FILES = (GIT_FILE, OWN_FILE)
MAX_IGNORE_BYTES = 1_000_000

_NEVER = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".hebbs", "_darcs", "CVS"})
_SWAP = (".swp", ".swo", ".swn", ".swx")
_TEMPORARY_ENDS = ("~", ".tmp", *_SWAP)
_TEMPORARY_STARTS = (".#", ".~lock.", ".goutputstream-", "~$")
_VIM_PROBE = "4913"  # vim makes and removes a file of this name before it saves


def built_in(name: str, *, is_folder: bool) -> tuple[str, bool] | None:
    """Why a name is never corpus by itself, and whether a user's rule may lift that."""
    if is_folder and name in _NEVER:
        return "kept by version control or by hebbs-index", False
    if (
        name.endswith(_TEMPORARY_ENDS)
        or name.startswith(_TEMPORARY_STARTS)
        or name == _VIM_PROBE
        or (name.startswith("#") and name.endswith("#"))
    ):
        return "a temporary file of an editor", False
    if name.startswith("."):
        return "hidden", True
    if name == "node_modules" and is_folder:
        return "node_modules", True
    return None


def _lifts(pattern: Pattern, name: bytes) -> bool:
    return pattern.writes_dot or pattern.body.rsplit(b"/", 1)[-1] == name


@dataclass(frozen=True, slots=True)
class _Rules:
    """The patterns of one ignore file and how to name it."""

    label: str
    patterns: PatternList


@dataclass(frozen=True, slots=True)
class _Scope:
    """Rules, and the path of a folder as seen from where the rules stand ('' or 'a/b/')."""

    rules: _Rules
    prefix: bytes

    def below(self, name: bytes) -> _Scope:
        return _Scope(self.rules, self.prefix + name + b"/")


Found = tuple[_Rules, Pattern]


class Folder:
    """The rules as they stand in one folder of the corpus."""

    __slots__ = ("_git", "_ignore", "_own", "path")

    def __init__(
        self, ignore: Ignore, path: str, own: tuple[_Scope, ...], git: tuple[_Scope, ...]
    ) -> None:
        self.path = path
        self._ignore = ignore
        self._own = own
        self._git = git

    def enter(self, name: str, present: Collection[str] | None = None) -> Folder:
        """The rules in a folder of this folder.

        `present` are the names in it, if they are known; else its ignore files are looked for.
        """
        encoded = os.fsencode(name)
        path = f"{self.path}/{name}" if self.path else name
        own = tuple(scope.below(encoded) for scope in self._own)
        git = tuple(scope.below(encoded) for scope in self._git)
        return self._ignore._folder(path, own, git, present)

    def why_not(self, name: str, *, is_folder: bool) -> str | None:
        """The rule that keeps a file or folder of this folder out of the corpus, if one does."""
        usual = built_in(name, is_folder=is_folder)
        if not (self._own or self._git or self._ignore.includes):
            return usual[0] if usual else None
        encoded = os.fsencode(name)
        found = _first(self._own, encoded, is_folder)
        if usual is not None:
            lifted = usual[1] and found is not None and found[1].keeps
            return None if lifted and found and _lifts(found[1], encoded) else usual[0]
        found = found or _first(self._git, encoded, is_folder)
        if found is not None and not found[1].keeps:
            return f"{found[0].label}, line {found[1].line}: {found[1].source}"
        return None if is_folder else self._ignore.not_included(self.path, encoded)


def _first(scopes: Iterable[_Scope], name: bytes, is_folder: bool) -> Found | None:
    for scope in scopes:
        pattern = scope.rules.patterns.find(scope.prefix + name, name, is_folder=is_folder)
        if pattern is not None:
            return scope.rules, pattern
    return None


class Ignore:
    """What is corpus below a root. Ignore files are read again when they change."""

    def __init__(
        self, root: Path, *, exclude: Sequence[str] = (), include: Sequence[str] = ()
    ) -> None:
        self.root = Path(os.path.realpath(root))  # git's rules go by where it really is
        self.problems: dict[str, FileProblem] = {}  # ignore files that cannot be read
        self.includes = bool(include)
        self._include = PatternList(_parse_lines(include))
        self._exclude = PatternList(_parse_lines(exclude)) if exclude else None
        self._above = _folders_above(self.root)
        self._cache: dict[str, tuple[FileStat, _Rules]] = {}

    def explain(self, path: str, *, is_folder: bool = False) -> str | None:
        """Which rule keeps a path (relative, POSIX) out of the corpus; None if none does."""
        *parents, name = path.split("/")
        folder = self.top()
        for parent in parents:
            why = folder.why_not(parent, is_folder=True)
            if why is not None:
                return f"{folder.path}/{parent}/: {why}".lstrip("/")
            folder = folder.enter(parent)
        return folder.why_not(name, is_folder=is_folder)

    def top(self, present: Collection[str] | None = None) -> Folder:
        """The rules in the root; `present` are the names in it, if they are known."""
        git: list[_Scope] = []
        for folder in self._above:
            prefix = os.fsencode(self.root.relative_to(folder).as_posix()) + b"/"
            label = os.path.relpath(folder / GIT_FILE, self.root)
            rules = self._load(folder / GIT_FILE, label)
            git += [_Scope(rules, prefix)] if rules else []
        git += self._info_exclude()
        own = (_Scope(_Rules("exclude", self._exclude), b""),) if self._exclude else ()
        return self._folder("", own, tuple(git), present)

    def not_included(self, folder: str, name: bytes) -> str | None:
        """Why `include` leaves a file out, if it does; a folder that matches brings all in it."""
        if not self.includes:
            return None
        parts = [*os.fsencode(folder).split(b"/"), name] if folder else [name]
        for end in range(len(parts), 0, -1):
            path = b"/".join(parts[:end])
            found = self._include.find(path, parts[end - 1], is_folder=end < len(parts))
            if found is not None:
                return f"include: {found.source}" if found.keeps else None
        return "no pattern of include matches"

    def _folder(
        self,
        path: str,
        own: tuple[_Scope, ...],
        git: tuple[_Scope, ...],
        present: Collection[str] | None,
    ) -> Folder:
        """Put the ignore files of a folder before those of the folders above it."""
        found: list[_Rules | None] = []
        for name in IGNORE_FILES:
            label = f"{path}/{name}" if path else name
            wanted = present is None or name in present
            found.append(self._load(self.root / path / name, label) if wanted else None)
        git_rules, own_rules = found
        if own_rules:
            # The configuration, first where there is one, outranks every file.
            first = 1 if self._exclude else 0
            own = (*own[:first], _Scope(own_rules, b""), *own[first:])
        if git_rules:
            git = (_Scope(git_rules, b""), *git)
        return Folder(self, path, own, git)

    def _info_exclude(self) -> list[_Scope]:
        tree = self._above[-1] if self._above else self.root
        directory = _git_directory(tree / ".git")
        rules = self._load(directory / "info" / "exclude", ".git/info/exclude")
        below = self.root.relative_to(tree).as_posix()
        prefix = b"" if below == "." else os.fsencode(below) + b"/"
        return [_Scope(rules, prefix)] if rules else []

    def _load(self, file: Path, label: str) -> _Rules | None:
        """The rules of a file, from the cache while its stat is the same; None without it.

        One that cannot be read keeps the rules it had: to forget them could index
        what was meant to stay out.
        """
        key = str(file)
        cached = self._cache.get(key)
        try:
            if cached and cached[0] == file_stat(os.lstat(key)):
                return cached[1]
            data, result = read_steady(key, MAX_IGNORE_BYTES)
        except GONE:
            self._cache.pop(key, None)
            self.problems.pop(label, None)
            return None
        except (OSError, Unsuitable, Unsteady) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            self.problems[label] = FileProblem(label, "read", f"ignore file not used: {why}")
            return cached[1] if cached else None
        rules = _Rules(label, PatternList(parse_patterns(data)))
        self._cache[key] = (file_stat(result), rules)
        self.problems.pop(label, None)
        return rules


def _parse_lines(lines: Sequence[str]) -> tuple[Pattern, ...]:
    return parse_patterns(b"\n".join(os.fsencode(line) for line in lines))


def _folders_above(root: Path) -> tuple[Path, ...]:
    """The folders above a root that belong to its git work tree, nearest first."""
    if (root / ".git").exists():
        return ()
    for number, folder in enumerate(root.parents, start=1):
        if (folder / ".git").exists():
            return tuple(root.parents[:number])
    return ()


def _git_directory(dot_git: Path) -> Path:
    """The folder that `info/exclude` is in; `.git` may be a file that points elsewhere."""
    try:
        text = dot_git.read_text(encoding="utf-8") if dot_git.is_file() else ""
        if not text.startswith("gitdir:"):
            return dot_git
        directory = dot_git.parent / text.removeprefix("gitdir:").strip()
        common = directory / "commondir"
        if common.is_file():
            return directory / common.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return dot_git
    return directory
