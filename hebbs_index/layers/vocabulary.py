"""Word lists, written the way people read them."""

from __future__ import annotations


def vocabulary(words: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(words.split())
