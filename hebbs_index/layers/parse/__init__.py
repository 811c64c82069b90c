"""Files to blocks: `parse` reads a file of any known format and keeps every character's place.

One module a format reads the text into a `Draft`; what is common to all is done here. A file that
is odd is still read, with a `FileProblem` for what was odd; only bytes that are no text at all
raise `Unparsable`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from hebbs_index.layers.parse import front_matter, html, markdown, restructuredtext, text
from hebbs_index.layers.parse.blocks import Draft, Source
from hebbs_index.layers.parse.decode import Unparsable, decode
from hebbs_index.records import BlockKind, FileProblem, ParsedFile

__all__ = ["FORMATS", "Unparsable", "parse"]

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        ".md": "markdown",
        ".markdown": "markdown",
        ".txt": "text",
        ".text": "text",
        ".rst": "rst",
        ".html": "html",
        ".htm": "html",
    }
)
"""File name suffix (lower case) to format name."""

_READERS: Mapping[str, Callable[[Draft, int], None]] = {
    "markdown": markdown.read,
    "text": text.read,
    "rst": restructuredtext.read,
    "html": html.read,
}
_WITH_FRONT_MATTER = frozenset({"markdown", "text", "html"})


def parse(path: str, data: bytes) -> ParsedFile:
    """Parse a file's bytes by the format that its path names (unknown suffixes as plain text).

    `path` is only used for the format, the title of last resort and in problems. Raises
    `Unparsable` for content that is no text.
    """
    pure = PurePosixPath(path)
    format_name = FORMATS.get(pure.suffix.lower(), "text")
    decoded = decode(path, data)
    draft = Draft(path, Source(decoded.text))
    if decoded.problem is not None:
        draft.problems.append(decoded.problem)
    first_line = front_matter.read(draft) if format_name in _WITH_FRONT_MATTER else 0
    try:
        _READERS[format_name](draft, first_line)
    except RecursionError as error:
        problem = FileProblem(path, "parse", "nested too deeply to be read")
        raise Unparsable(problem) from error
    return ParsedFile(
        path=path,
        format=format_name,
        encoding=decoded.encoding,
        content_hash=hashlib.sha256(data).hexdigest(),
        text=decoded.text,
        title=_title(draft, pure.stem),
        blocks=tuple(draft.blocks),
        front_matter=draft.front_matter,
        problems=tuple(draft.problems),
    )


def _title(draft: Draft, stem: str) -> str:
    """The declared title, else the first top heading, else the first heading, else the name."""
    declared = draft.front_matter.get("title")
    if isinstance(declared, str | int | float) and str(declared).strip():
        return " ".join(str(declared).split())
    if draft.title:
        return draft.title
    headings = [b for b in draft.blocks if b.kind is BlockKind.HEADING and b.heading_level]
    tops = [block for block in headings if block.heading_level == 1]
    chosen = tops or headings
    return chosen[0].text if chosen else stem
