"""The header of `Key: value` lines that PEPs and mails begin with."""

from __future__ import annotations

import re

from hebbs_index.layers.parse.blocks import Draft, raw_inline
from hebbs_index.records import BlockKind

_HEADER = re.compile(r"([A-Z][A-Za-z-]{0,40}):(?:[ \t]+(.*))?$")


def read_header(draft: Draft, lines: list[str]) -> int:
    """Read a header of `Key: value` lines; return the number of lines it takes up."""
    end = next((i for i, line in enumerate(lines) if not line.strip()), len(lines))
    found: list[tuple[str, list[int]]] = []
    for number in range(end):
        line = lines[number].removeprefix("\ufeff")
        match = _HEADER.match(line)
        if match is not None:
            found.append((match[1], [number]))
        elif found and line[:1].isspace():
            found[-1][1].append(number)
        else:
            return 0
    if len(found) < 2:
        return 0
    for key, numbers in found:
        _add_header(draft, key, numbers)
    return end


def _add_header(draft: Draft, key: str, numbers: list[int]) -> None:
    start = draft.source.starts[numbers[0]]
    start = draft.source.text.index(":", start) + 1
    inline = raw_inline(draft.source.text, start, draft.source.stops[numbers[-1]])
    draft.front_matter[key] = inline.text
    draft.add(BlockKind.FIELD, inline, key=(key,))
    if key == "Title" and inline.text:
        draft.title = inline.text
