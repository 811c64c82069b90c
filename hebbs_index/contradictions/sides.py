"""The two sides of a signal in words: "25 / 28" names the word of `a` first, then that of `b`.

A judgement can be turned round, because a record puts the older statement first. `exchanged` then
turns the words too, so that they always follow the spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from hebbs_index.records import Signal

_BETWEEN, _NEXT, _TOPIC = " / ", "; ", ": "
_MARK = re.compile(r" (?=/(?: |$))|(?<=[;:]) ")


def sides(pairs: Iterable[tuple[str, str]], *, topic: str = "") -> str:
    """What differs as "topic: word of a / word of b; ...", the pairs in a steady order."""
    told = [(_plain(one), _plain(other)) for one, other in pairs]
    told.sort(key=sorted)  # the same order whichever side comes first
    listed = _NEXT.join(_BETWEEN.join(pair) for pair in told)
    return f"{_plain(topic)}{_TOPIC}{listed}" if topic else listed


def exchanged(signal: Signal) -> Signal:
    """The same signal with its two sides exchanged, spans and words alike."""
    topic, colon, listed = signal.detail.rpartition(_TOPIC)
    turned = _NEXT.join(_turned(part) for part in listed.split(_NEXT))
    return Signal(signal.name, signal.span_b, signal.span_a, f"{topic}{colon}{turned}")


def _turned(part: str) -> str:
    one, between, other = part.partition(_BETWEEN)
    return f"{other}{between}{one}"


def _plain(words: str) -> str:
    """Words without the marks that part one word from another here."""
    folded = " ".join(words.split()).rstrip(" ;:")
    return _MARK.sub("\N{NO-BREAK SPACE}", folded)
