"""reStructuredText to a docutils tree, safely and quietly.

Nothing is included, nothing raw is kept, nothing is printed, no configuration file is read. Only
the parser runs, none of docutils' transforms: what they would resolve (link targets) is looked
up when it is needed, and the title stays a section like any other.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from docutils import frontend, nodes, utils
from docutils.parsers.rst import Parser, roles

# docutils gives up a whole file for one line above its limit; such lines are blanked instead.
MAX_LINE = 10_000
# Every level of indentation or section costs docutils about ten Python frames.
MAX_INDENT = 120

_LINE_BREAKS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ROLE = re.compile(r"(?s)(:[\w:.+-]+:)?`(.*?)`(:[\w:.+-]+:)?")
_TITLED = re.compile(r"(?s)(.*?)\s*<([^<>]*)>$")

_ROLES_IN_USE = threading.RLock()

# docutils itself may fail on input that its states did not expect.
DOCUTILS_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)


class DocutilsFailed(Exception):
    """docutils could not parse a text; the message says how it failed."""


@lru_cache(maxsize=1)
def _settings() -> Any:
    settings = frontend.get_default_settings(Parser)
    settings.report_level = 5
    settings.halt_level = 5
    settings.warning_stream = False
    settings.file_insertion_enabled = False
    settings.raw_enabled = False
    settings.smart_quotes = False
    settings.syntax_highlight = "none"
    settings.line_length_limit = MAX_LINE
    return settings


def parse_tree(lines: list[str]) -> nodes.document:
    """The docutils tree of a text given as lines. Raises `DocutilsFailed`."""
    document = utils.new_document("text", _settings().copy())
    text = "\n".join(_LINE_BREAKS.sub(" ", line) for line in lines)
    with _own_roles():
        try:
            Parser().parse(text, document)
        except DOCUTILS_FAULTS as error:
            raise DocutilsFailed(f"{type(error).__name__}: {str(error)[:200]}") from error
    return document


@contextmanager
def _own_roles() -> Iterator[None]:
    """Forget the roles that a text defines: docutils keeps them for all texts to come."""
    with _ROLES_IN_USE:
        known: dict[str, Any] = vars(roles)["_roles"]
        kept = dict(known)
        try:
            yield
        finally:
            known.clear()
            known.update(kept)


def target_of(documents: Sequence[nodes.document], reference: nodes.Element) -> str:
    """The address that a reference leads to, as far as one of these trees of a file says it."""
    seen: set[str] = set()
    node: Any = reference
    while True:
        if node.get("refuri"):
            return str(node["refuri"])
        name = str(node.get("refname", ""))
        if not name or name in seen:
            return f"#{node['refid']}" if node.get("refid") else ""
        seen.add(name)
        found = next(filter(None, (_named(document, name) for document in documents)), None)
        if found is None:
            return ""
        if not isinstance(found, nodes.target):
            return f"#{next(iter(found.get('ids', ())), name)}"
        node = found


def _named(document: nodes.document, name: str) -> nodes.Element | None:
    identifier = document.nameids.get(name)
    return document.ids.get(identifier) if identifier else None


def role_parts(raw: str) -> tuple[str, str, str]:
    """An unknown role's (name, text, target) from its source: ``:doc:`text <target>` ``."""
    match = _ROLE.fullmatch(raw)
    if match is None:
        return "", raw, ""
    role = (match[1] or match[3] or "").strip(":")
    content = match[2]
    titled = _TITLED.fullmatch(content)
    if titled is not None and titled[1]:
        return role, titled[1], titled[2]
    if content.startswith("~"):
        return role, content.rpartition(".")[2].lstrip("~"), content[1:]
    return role, content.lstrip("!"), content
