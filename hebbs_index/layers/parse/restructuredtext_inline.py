"""The text of a docutils text element, found again in the source.

Footnote and citation marks and images are left out. A role that docutils does not know gives
the text it would show; roles that name code are code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from docutils import nodes

from hebbs_index.layers.parse.align import Aligner
from hebbs_index.layers.parse.blocks import Inline, RichText
from hebbs_index.layers.parse.restructuredtext_engine import role_parts, target_of

_ADDRESS = re.compile(r"\s*<[^<>]*>`(?:__?)?")
_NUMBER = re.compile(r"(?P<name>(?:PEP|RFC) )(?P<number>\d+)")
_NUMBER_ROLE = re.compile(r"(?P<role>:(?:pep|rfc)[\w-]*:)`(?P<number>\d+)`", re.IGNORECASE)
_MARK_END = re.compile(r"\s*\[[^\]\s]{1,80}\]_")
_ROLE_NAME = re.compile(r"\s*:[\w:.+-]+:`[~!]?")
_ROLE_END = re.compile(r"[^`]{0,300}?`")
_MAIL = "mailto:"
_NEAR = 160  # source characters in which a role is looked for
_LINK_ROLES = frozenset({"doc", "ref", "any", "numref", "download"})
_PLAIN_ROLES = frozenset(
    {"term", "abbr", "dfn", "guilabel", "menuselection", "sub", "sup", "cve"} | {"pep", "rfc"}
)


class InlineWriter:
    """Gathers the text of one block while the aligner moves through the source."""

    def __init__(self, documents: Sequence[nodes.document], aligner: Aligner) -> None:
        self._documents = documents
        self._aligner = aligner
        self._rich = RichText()
        self._strong = False

    def write(self, node: nodes.Element) -> Inline:
        """The text of a text element."""
        self._children(node)
        return self._rich.finish()

    def append(self, node: nodes.Element) -> None:
        """Add the text of one more text element."""
        self._children(node)

    def space(self) -> None:
        """Add a space, unless nothing has been added so far."""
        if len(self._rich):
            self._rich.add(" ", self._aligner.take(" "))

    def finish(self) -> Inline:
        """The text of all elements appended."""
        return self._rich.finish()

    def _children(self, node: nodes.Element) -> None:
        for child in node.children:
            if isinstance(child, nodes.Text):
                self._text(child.astext())
            elif isinstance(child, nodes.Element):
                self._element(child)

    def _text(self, text: str) -> None:
        self._rich.add(text, self._aligner.take(text))

    def _element(self, node: nodes.Element) -> None:
        start = len(self._rich)
        if isinstance(node, nodes.emphasis | nodes.strong):
            self._children(node)
            self._rich.mark_strong(start)
        elif isinstance(node, nodes.literal | nodes.math):
            self._children(node)
            self._rich.mark_code(start)
        elif isinstance(node, nodes.reference):
            self._reference(node)
            self._rich.mark_link(start, unquote(target_of(self._documents, node)))
        elif isinstance(node, nodes.footnote_reference | nodes.citation_reference):
            self._rich.leave_out()
            self._aligner.skip(_MARK_END)
        elif isinstance(node, nodes.problematic):
            self._role(node)
        elif not isinstance(node, nodes.image | nodes.target | nodes.system_message | nodes.raw):
            self._children(node)

    def _reference(self, node: nodes.Element) -> None:
        text = node.astext()
        if self._number_role(text):
            return
        if text.startswith(_MAIL):  # docutils adds it to a bare mail address
            self._text(text.removeprefix(_MAIL))
        else:
            self._children(node)
        self._aligner.skip(_ADDRESS)

    def _number_role(self, text: str) -> bool:
        """`PEP 8` from ``:pep:`8` ``: what the role adds stands at the role's name."""
        shown = _NUMBER.fullmatch(text)
        here = self._aligner.pos
        role = _NUMBER_ROLE.search(self._aligner.source, here, here + _NEAR)
        if shown is None or role is None or int(role["number"]) != int(shown["number"]):
            return False
        self._rich.add(shown["name"], [role.start("role")] * len(shown["name"]))
        self._rich.add_at(role["number"], role.start("number"))
        self._aligner.pos = role.end()
        return True

    def _role(self, node: nodes.Element) -> None:
        """An unknown role, or markup that was not closed, which is text as written."""
        start = len(self._rich)
        name, text, target = role_parts(node.astext())
        if not name:
            self._text(text)
            return
        self._aligner.skip(_ROLE_NAME)
        self._text(text)
        self._aligner.skip(_ROLE_END)
        if name.rpartition(":")[2] in _LINK_ROLES:
            self._rich.mark_link(start, target)
        elif name.rpartition(":")[2] not in _PLAIN_ROLES:
            self._rich.mark_code(start)


def text_elements(node: nodes.Element) -> Iterator[nodes.TextElement]:
    """The outermost text elements below a node, in order."""
    for child in node.findall(nodes.TextElement):
        if not isinstance(child.parent, nodes.TextElement | nodes.system_message):
            yield child
