"""Ids as people type them: a prefix is enough as long as only one id starts with it."""

from __future__ import annotations

import string
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hebbs_index.errors import InputError

if TYPE_CHECKING:
    from hebbs_index.index import Hebbs

FULL = 32
LEAST = 6


def full_pending_id(hebbs: Hebbs, typed: str) -> str:
    """Complete the prefix of a pending id; what no id starts with is given back as typed.

    Raises InputError if several ids start with it.
    """
    typed = typed.strip().lower()
    if len(typed) == FULL or len(typed) < LEAST or not set(typed) <= set(string.hexdigits):
        return typed
    return complete(typed, (ruling.pending_id for ruling in hebbs.contradictions("all")))


def complete(prefix: str, known: Iterable[str]) -> str:
    """The one id that starts with a prefix, or the prefix if none does."""
    matches = sorted({identifier for identifier in known if identifier.startswith(prefix)})
    if len(matches) > 1:
        raise InputError(
            f"{prefix} could be {' or '.join(matches[:5])}", hint="Type more of its digits."
        )
    return matches[0] if matches else prefix
