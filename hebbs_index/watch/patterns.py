r"""Ignore patterns exactly as git reads them, compiled to one expression a list.

`PatternList` holds the patterns of one ignore file and tells which of them, if any,
speaks of a path: the last that matches. It works on bytes, as git does (`?` is one
byte), and says nothing about what lies below a matching folder: whoever asks goes down
folder by folder, as git does.

Compared with git on generated trees, pathspec's translation differs where brackets hold
classes or backslashes, lets a match of a parent folder overrule a pattern of another
file, and warns on standard error; hence this one. Whatever a pattern says, matching
takes at most time proportional to the square of a path's length: stars are cut off as
soon as what follows them is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_SPECIAL = b"*?[\\"
_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": b" \\t",
    b"cntrl": b"\\x00-\\x1f\\x7f",
    b"digit": b"0-9",
    b"graph": b"\\x21-\\x7e",
    b"lower": b"a-z",
    b"print": b"\\x20-\\x7e",
    b"punct": b"\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
    b"space": b" \\t\\n\\r\\f\\v",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}
_ANY = b".*"  # a trailing `**`
_STAR = b"*"
_FOLDERS = b"**/"
_NOTHING = b"(?!)"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file. `keeps` is true for a line that begins with `!`."""

    line: int  # 1-based
    source: str  # as written
    body: bytes  # without `!`, leading and trailing slash
    keeps: bool
    only_folders: bool
    anchored: bool  # compared with the whole path, not with the last name alone

    @property
    def writes_dot(self) -> bool:
        """Whether the last name of the pattern begins with a dot that is written out."""
        name = self.body.rsplit(b"/", 1)[-1]
        return name.startswith((b".", b"\\."))


def parse_patterns(data: bytes) -> tuple[Pattern, ...]:
    """Read the patterns of an ignore file, leaving out comments and blank lines."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    parsed = (_parse_line(number, line) for number, line in enumerate(lines, start=1))
    return tuple(pattern for pattern in parsed if pattern is not None)


def _parse_line(number: int, line: bytes) -> Pattern | None:
    text = _without_trailing_spaces(line.removesuffix(b"\r"))
    if not text or text.startswith(b"#"):
        return None
    keeps = text.startswith(b"!")
    body = text[1:] if keeps else text
    only_folders = body.endswith(b"/")
    if only_folders:
        body = body[:-1]
    anchored = b"/" in body
    body = body.removeprefix(b"/")
    source = text.decode("utf-8", "replace")
    return Pattern(number, source, body, keeps, only_folders, anchored) if body else None


def _without_trailing_spaces(line: bytes) -> bytes:
    end = len(line)
    while end and line[end - 1 : end] == b" ":
        end -= 1
    backslashes = end - len(line[:end].rstrip(b"\\"))
    # An odd backslash keeps the space after it, if there is one.
    return line[: end + 1] if backslashes % 2 and end < len(line) else line[:end]


class PatternList:
    """The patterns of one ignore file, in order."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        ordered = tuple(patterns)
        files = [pattern for pattern in ordered if not pattern.only_folders]
        self._folders = _Matcher(ordered)
        self._files = self._folders if len(files) == len(ordered) else _Matcher(files)

    def find(self, path: bytes, name: bytes, *, is_folder: bool) -> Pattern | None:
        """The last pattern that matches a path, given below the folder of the ignore file.

        `name` is the last part of `path`. A match of a folder above does not count.
        """
        return (self._folders if is_folder else self._files).find(path, name)


class _Matcher:
    """Two expressions, for names and for paths, whose first group to match is the last line."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._patterns = patterns
        self._names, self._by_name = self._compile(patterns, anchored=False)
        self._paths, self._by_path = self._compile(patterns, anchored=True)

    @staticmethod
    def _compile(
        patterns: Sequence[Pattern], *, anchored: bool
    ) -> tuple[list[int], re.Pattern[bytes] | None]:
        numbers = [n for n, pattern in enumerate(patterns) if pattern.anchored is anchored]
        numbers.reverse()
        if not numbers:
            return [], None
        parts = (b"(" + translate(patterns[number].body) + b")" for number in numbers)
        return numbers, re.compile(b"|".join(parts), re.DOTALL)

    def find(self, path: bytes, name: bytes) -> Pattern | None:
        best = -1
        if self._by_name and (found := self._by_name.fullmatch(name)):
            best = self._names[(found.lastindex or 1) - 1]
        if self._by_path and (found := self._by_path.fullmatch(path)):
            best = max(best, self._paths[(found.lastindex or 1) - 1])
        return self._patterns[best] if best >= 0 else None


# ---------------------------------------------------------------------------
# Translation to a regular expression
# ---------------------------------------------------------------------------


def translate(body: bytes) -> bytes:
    """The expression that a whole name or path must match; one that never does for a bad glob."""
    literal = len(body)
    for index in range(len(body)):
        if body[index] in _SPECIAL:
            literal = index
            break
    tokens = _tokens(body[literal:])
    if tokens is None:
        return _NOTHING
    return re.escape(body[:literal]) + _join(tokens)


def _join(tokens: list[bytes]) -> bytes:
    """Join tokens; whatever stands between two `**/` is taken where it is first found."""
    pieces: list[list[bytes]] = [[]]
    for token in tokens:
        if token == _FOLDERS:
            pieces.append([])
        else:
            pieces[-1].append(token)
    first, *rest = [_join_stars(piece) for piece in pieces]
    if not rest:
        return first
    middle = b"".join(b"(?>(?:.*?/)??" + piece + b")" for piece in rest[:-1])
    return first + middle + b"(?:.*/)?" + rest[-1]


def _join_stars(tokens: list[bytes]) -> bytes:
    """Join tokens without `**/`; of several stars in a name all but the last end early."""
    out: list[bytes] = []
    chunk: list[bytes] = []
    starred = False
    for token in [*tokens, b""]:
        if token == _STAR and starred:
            out.append(b"(?>[^/]*?" + b"".join(chunk) + b")")
            chunk = []
        elif token in (_STAR, b"/", b"", _ANY):
            out.append((b"[^/]*" if starred else b"") + b"".join(chunk))
            out.append(token if token != _STAR else b"")
            chunk = []
        else:
            chunk.append(token)
            continue
        starred = token == _STAR
    return b"".join(out)


def _tokens(glob: bytes) -> list[bytes] | None:
    """Split a glob into pieces of an expression, `*` and `**/` kept apart; None if broken."""
    tokens: list[bytes] = []
    at = 0
    while at < len(glob):
        char = glob[at : at + 1]
        if char == b"*":
            token, at = _stars(glob, at)
        elif char == b"?":
            token, at = b"[^/]", at + 1
        elif char == b"[":
            bracket = _bracket(glob, at + 1)
            if bracket is None:
                return None
            token, at = bracket
        elif char == b"\\":
            if at + 1 == len(glob):
                return None
            token, at = re.escape(glob[at + 1 : at + 2]), at + 2
        else:
            token, at = re.escape(char), at + 1
        tokens.append(token)
    return tokens


def _stars(glob: bytes, start: int) -> tuple[bytes, int]:
    end = start
    while glob[end : end + 1] == b"*":
        end += 1
    alone = start == 0 or glob[start - 1 : start] == b"/"
    if end - start < 2 or not alone:
        return _STAR, end
    if end == len(glob) or glob[end : end + 2] == b"\\/":
        return _ANY, end
    return (_FOLDERS, end + 1) if glob[end : end + 1] == b"/" else (_STAR, end)


def _bracket(glob: bytes, at: int) -> tuple[bytes, int] | None:
    """Translate `[...]`, whose inside begins at `at`; None if it does not end or is malformed."""
    negated = glob[at : at + 1] in (b"!", b"^")
    at += negated
    members: list[bytes] = []
    previous: int | None = None
    first = True
    while first or glob[at : at + 1] != b"]":
        first = False
        step = _member(glob, at, previous)
        if step is None:
            return None
        member, previous, at = step
        members.append(member)
    inside = b"".join(members)
    if not inside:
        return (b"[^/]" if negated else _NOTHING), at + 1
    # A bracket never matches a slash, whatever it holds.
    return b"(?!/)[" + (b"^" if negated else b"") + inside + b"]", at + 1


def _member(glob: bytes, at: int, previous: int | None) -> tuple[bytes, int | None, int] | None:
    """One member of a bracket: its expression, the byte a range may start from, where it ends."""
    char = glob[at : at + 1]
    if not char:
        return None
    following = glob[at + 1 : at + 2]
    if char == b"-" and previous is not None and following not in (b"", b"]"):
        return _range(glob, at + 1, previous)
    if char == b"[" and following == b":":
        end = glob.find(b"]", at + 2)
        if end < 0:
            return None
        if end > at + 2 and glob[end - 1 : end] == b":":
            inside = _CLASSES.get(glob[at + 2 : end - 1])
            return None if inside is None else (inside, None, end + 1)
        return b"\\[", ord("["), at + 1
    if char == b"\\":
        at, char = at + 1, following
        if not char:
            return None
    return b"\\x%02x" % char[0], char[0], at + 1


def _range(glob: bytes, at: int, low: int) -> tuple[bytes, None, int] | None:
    if glob[at : at + 1] == b"\\":
        at += 1
        if at == len(glob):
            return None
    high = glob[at]
    inside = b"\\x%02x-\\x%02x" % (low, high) if low <= high else b""
    return inside, None, at + 1
