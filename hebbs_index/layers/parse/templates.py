"""Template tags in Markdown: Liquid, Jinja, Hugo, Kramdown attributes.

They are no part of what a page says. `mask` overwrites them, character for character, so that
every other character keeps its place: a line of nothing but tags becomes blank, any other tag a
run of `MASK`, which the inline reader leaves out. `{{ a value }}` stays as written, except that
its spaces are masked within a link address, where they would end the address.
"""

from __future__ import annotations

import re

MASK = "\ue000"  # a private-use character: never white space, never markup

# A tag may run over lines, but not over a blank line or a code fence.
_TAG = re.compile(
    r"\{%(?:[^%\n]|%(?!\})|\n(?![ \t]*(?:\n|```|~~~))){0,400}%\}"
    r"|\{\{[<%][^\n]{0,300}?[>%]\}\}"
    r"|\{#(?!\w)[^\n]{0,300}?#\}"
)
_NAMED = re.compile(r"\{%-?\s*(\w+)\s+\"([^\"\n\[\]()*_`]+)\"\s*-?%\}")
_STRUCTURAL = frozenset({"block", "extends", "image", "import", "include", "page", "render", "url"})
_COMMENT = re.compile(r"\{%-?\s*(end)?comment\b")
_ATTRIBUTES = re.compile(r"^[ \t]*\{:[^}\n]{0,300}\}[ \t]*$", re.MULTILINE)
_HEADING_ID = re.compile(r"^( {0,3}#{1,6}[ \t][^\n]*?)(\{#[\w-]{1,100}\})[ \t]*$", re.MULTILINE)
_ADDRESS_VALUE = re.compile(r"(?<=\]\()\{\{[^\n{}]{0,200}\}\}")
_TAG_LINE = re.compile(rf"^[ \t]*{MASK}[ \t{MASK}]*$", re.MULTILINE)
_QUOTED = re.compile(r"[\"']([^\"'\n]+)[\"']")
_VALUE = re.compile(r"\{\{[^{}]*\}\}")


def mask(text: str) -> str:
    """The text with its template tags overwritten; it has the same length and lines."""
    if "{%" in text or "{#" in text or "{{" in text:
        text = _mask_tags(text)
        text = _HEADING_ID.sub(lambda match: match[1] + MASK * len(match[2]), text)
        text = _ADDRESS_VALUE.sub(lambda match: match[0].replace(" ", MASK), text)
        text = _TAG_LINE.sub(lambda match: " " * len(match[0]), text)
    if "{:" in text:
        text = _ATTRIBUTES.sub(lambda match: " " * len(match[0]), text)
    return text


def _mask_tags(text: str) -> str:
    parts: list[str] = []
    last = 0
    comment = -1  # where an open comment began
    for match in _TAG.finditer(text):
        word = _COMMENT.match(match[0])
        if comment >= 0:
            if word is None or not word[1]:
                continue
            start, comment = comment, -1
        elif word is not None and not word[1]:
            comment = match.start()
            continue
        else:
            start = match.start()
        kept = _named(text, match) if start == match.start() else None
        parts += [text[last:start], _overwritten(text, start, match.end(), kept)]
        last = match.end()
    parts.append(text[last:])
    return "".join(parts)


def _named(text: str, tag: re.Match[str]) -> tuple[int, int] | None:
    """The one name that a tag in running text stands for, as in `ask in {% channel "help" %}`."""
    named = _NAMED.fullmatch(tag[0])
    if named is None or named[1] in _STRUCTURAL or text[tag.start() - 1 : tag.start()] == "(":
        return None
    line_start = text.rfind("\n", 0, tag.start()) + 1
    if not text[line_start : tag.start()].strip(" \t>*-"):
        return None
    return tag.start() + named.start(2), tag.start() + named.end(2)


def _overwritten(text: str, start: int, end: int, kept: tuple[int, int] | None) -> str:
    if kept is not None:
        before, name, after = kept[0] - start, text[kept[0] : kept[1]], end - kept[1]
        return MASK * before + name + MASK * after
    return "\n".join(MASK * len(line) for line in text[start:end].split("\n"))


def link_target(written: str) -> str:
    """The address within `](...)` that is given by a template tag: its first quoted path."""
    quoted = _QUOTED.search(written)
    if quoted is not None:
        return quoted[1]
    return _VALUE.sub("", written).strip("[]()<> \t\r\n")
