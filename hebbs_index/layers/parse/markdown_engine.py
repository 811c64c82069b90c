"""The Markdown parser: markdown-it-py, set up so that every inline token's place is known.

markdown-it gives lines for blocks and no positions for inline tokens. Three things make the
positions follow from the tokens: text is not joined after parsing (an escape or a character
reference stays a token of its own, with its source as `markup`), the rules for links, images
and footnote marks note where they ended, and wiki-links are a rule of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

MAX_NESTING = 40  # levels of blocks or inline markup; what is deeper stays unread

MAX_INLINE = 50_000  # characters of one paragraph that is read as Markdown
_MAX_MARKS = 3_000  # brackets, stars, ... of one paragraph that is read as Markdown
_MARK = re.compile(r"[\[\]*_`~<&!]")

_WIKI = re.compile(r"(!?)\[\[([^\[\]|\n]{1,400})(?:\|([^\[\]\n]{0,400}))?\]\]")

_InlineRule = Callable[[StateInline, bool], bool]


@lru_cache(maxsize=1)
def engine() -> MarkdownIt:
    """The one parser of this process."""
    md = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
    md.enable(["table", "strikethrough"]).disable("text_join")
    md.use(footnote_plugin, inline=False, move_to_end=False)
    md.use(deflist_plugin)
    for name, opening in (("link", "["), ("image", "!"), ("footnote_ref", "[")):
        md.inline.ruler.at(name, _noting_its_end(_rule(md, name), opening))
    md.inline.ruler.before("link", "wiki_link", _wiki_link)
    md.core.ruler.at("inline", _read_inline)
    return md


def _rule(md: MarkdownIt, name: str) -> _InlineRule:
    names = md.inline.ruler.get_all_rules()
    active = md.inline.ruler.get_active_rules()
    if name not in names or name not in active:
        raise LookupError(f"markdown-it has no inline rule {name}")
    return md.inline.ruler.getRules("")[active.index(name)]


def _noting_its_end(rule: _InlineRule, opening: str) -> _InlineRule:
    """The same rule, leaving in its last token where in the content it ended.

    It is tried at most positions, so it is only called where its first character stands.
    """

    def noting(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] != opening or not rule(state, silent):
            return False
        if not silent:
            state.tokens[-1].meta["end"] = state.pos
        return True

    return noting


def _wiki_link(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "[!" or not state.src.startswith(("[[", "![["), state.pos):
        return False
    match = _WIKI.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        token = state.push("wiki_link", "", 0)
        token.content = match.group(2)
        token.meta = {
            "embed": bool(match.group(1)),
            "target": match.start(2),
            "alias": match.span(3),
            "end": match.end(),
        }
    state.pos = match.end()
    return True


def _read_inline(state: StateCore) -> None:
    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        if _too_heavy(token.content):
            token.meta["plain"] = True
            token.children.append(Token("text", "", 0, content=token.content))
        elif token.content:
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _too_heavy(content: str) -> bool:
    """Whether the inline parser, not linear on such input, would take too long."""
    if len(content) <= _MAX_MARKS:
        return False
    return len(content) > MAX_INLINE or len(_MARK.findall(content)) > _MAX_MARKS
