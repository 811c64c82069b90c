"""What an HTML element is to a reader: inline markup, part of the page's frame, or not there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

INLINE = frozenset(
    {"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em"}
    | {"font", "i", "img", "input", "ins", "kbd", "label", "mark", "output", "picture", "q", "rp"}
    | {"rt", "ruby", "s", "samp", "small", "source", "span", "strike", "strong", "sub", "sup"}
    | {"time", "tt", "u", "var", "wbr", "nobr"}
)
STRONG = frozenset({"b", "strong", "em", "i"})
CODE = frozenset({"code", "kbd", "samp", "tt", "var"})
_UNSEEN = frozenset(
    {"script", "style", "template", "svg", "math", "iframe", "object", "embed", "canvas", "audio"}
    | {"video", "select", "button", "textarea", "datalist", "head", "noscript", "noembed", "map"}
    | {"title"}
    | {"del", "s", "strike", "noframes", "progress", "meter", "dialog"}
)
_NAVIGATION = frozenset({"nav", "footer", "menu"})
_NAVIGATION_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "menu", "menubar"})
_NAVIGATION_NAME = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?|sidebar|toc|footer|cookies?|skip-?link|"
    r"pagination|related|share|headerlink)(?:$|[\s_-])",
    re.IGNORECASE,
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
LAYOUT = "table, h1, h2, h3, h4, h5, h6, ul, ol, dl, pre"
_PERMALINKS = frozenset({"¶", "#", "§", "🔗"})


def is_main(node: Any) -> bool:
    """Whether this element holds what the page is about."""
    return bool(node.tag == "main" or node.attributes.get("role") == "main")


def is_navigation(node: Any, around: Sequence[str]) -> bool:
    """Whether an element within those `around` it belongs to the frame of the page."""
    attributes = node.attributes
    if node.tag in _NAVIGATION or attributes.get("role") in _NAVIGATION_ROLES:
        return True
    if node.tag in ("header", "aside"):
        return not ({"main", "article"} & set(around))
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    return node.tag in ("div", "ul", "section") and bool(_NAVIGATION_NAME.search(names))


def is_unseen(node: Any) -> bool:
    """Whether a reader does not see an element, or does not read it as text."""
    attributes = node.attributes
    if node.tag in _UNSEEN or "hidden" in attributes:
        return True
    if attributes.get("aria-hidden") == "true" and node.tag != "body":
        return True
    if _HIDDEN_STYLE.search(attributes.get("style") or ""):
        return True
    return bool(node.tag == "a" and (node.text() or "").strip() in _PERMALINKS)
