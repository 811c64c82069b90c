"""Layer 3: the entities of a file, merged over its statements, and what relates them.

Mentions of one thing share a canonical key: case, space, `_` and `-` make no difference, a plural
joins its singular, and "Service Level Objective (SLO)" makes the short form one with the
long form throughout the file. The relations found point from the statement that makes
them to the nearest other one that mentions the object.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hebbs_index.ids import fold_entity
from hebbs_index.layers.drafts import PropositionDraft
from hebbs_index.layers.mentions import Found, find_mentions
from hebbs_index.layers.relations import Stated, find_relations, head_of
from hebbs_index.records import Mention, Relation

_SHORT_FORM = re.compile(
    r"(?P<long>(?:[\w-]+ ){1,7}?[\w-]+) "
    r"\((?:the |an? )?[\"“']?(?P<short>[A-Z][A-Za-z&/-]{1,9}?)s?[\"”']?\)"
)
_OPENING_WORD = re.compile(r"[^\W_][\w-]*(?=\W|$)")
_GLUE = frozenset({"of", "and", "the", "for", "to", "in", "on", "a", "an"})


@dataclass(frozen=True, slots=True)
class FileEntities:
    """Mentions and main entity of every draft of a file, and the relations between drafts."""

    mentions: tuple[tuple[Mention, ...], ...]
    main: tuple[str | None, ...]  # as first written in the file
    relations: tuple[Relation, ...]


def find_entities(drafts: Sequence[PropositionDraft], *, has_parser: bool) -> FileEntities:
    """Find and merge the entities of a file's statements."""
    found = [find_mentions(draft) for draft in drafts]
    found = _with_openings(drafts, found)
    canonical = _Canonical(drafts, found)
    mentions = tuple(tuple(canonical.mention(one) for one in each) for each in found)
    named = [_named(draft, each) for draft, each in zip(drafts, mentions, strict=True)]
    main = tuple(
        canonical.first_written.get(entity) if (entity := _main(draft, each, heads)) else None
        for draft, each, heads in zip(drafts, mentions, named, strict=True)
    )
    relations: tuple[Relation, ...] = ()
    if has_parser:
        relations = tuple(_relations(drafts, mentions, named))
    return FileEntities(mentions, main, relations)


def _with_openings(
    drafts: Sequence[PropositionDraft], found: list[list[Found]]
) -> list[list[Found]]:
    """Add names that open a sentence, where any word has a capital, if they stand elsewhere too."""
    labels = {
        one.name: one.label for each in found for one in each if one.label not in ("code", "term")
    }
    return [
        [opening, *each] if (opening := _opening(draft, each, labels)) else each
        for draft, each in zip(drafts, found, strict=True)
    ]


def _opening(
    draft: PropositionDraft, found: list[Found], labels: Mapping[str, str]
) -> Found | None:
    start = draft.subject_offset if draft.subject is not None else draft.token_offset
    if draft.structure is not None or any(one.start <= start < one.end for one in found):
        return None
    words = list(_OPENING_WORD.finditer(draft.text, start, start + 60))[:3]
    for last in reversed(words):
        name = draft.text[start : last.end()]
        if name in labels and not any(one.start < last.end() for one in found):
            return Found(start, last.end(), name, labels[name])
    return None


class _Canonical:
    """Which key a name goes by in this file."""

    def __init__(self, drafts: Sequence[PropositionDraft], found: list[list[Found]]) -> None:
        self._keys: dict[str, str] = {}
        self._known = {_plain(one.name) for each in found for one in each}
        self._long = dict(_short_forms(drafts))
        self.first_written: dict[str, str] = {}

    def mention(self, found: Found) -> Mention:
        """The mention with its canonical key; remembers how the entity was first written."""
        key = self.key(found.name)
        self.first_written.setdefault(key, found.name)
        return Mention(key, found.name, found.label, found.start, found.end)

    def key(self, name: str) -> str:
        """The canonical key of a name."""
        plain = _plain(name)
        if plain not in self._keys:
            self._keys[plain] = self._merged(plain, plural=name.endswith("s"))
        return self._keys[plain]

    def _merged(self, plain: str, *, plural: bool) -> str:
        singular = plain
        if plural and len(plain) > 3 and not plain.endswith(("ss", "us", "is")):
            candidates = [plain[:-1]]
            if plain.endswith("ies"):
                candidates.append(plain[:-3] + "y")
            known = self._known | self._long.keys()
            singular = next((one for one in candidates if one in known), plain)
        return self._long.get(singular, singular)


def _plain(name: str) -> str:
    return fold_entity(name).strip(" .,:;\"'")


def _short_forms(drafts: Sequence[PropositionDraft]) -> Iterator[tuple[str, str]]:
    """Short forms that the file explains, each with the key of its long form."""
    seen: set[str] = set()
    for draft in drafts:
        if " (" not in draft.text or draft.sentence in seen:
            continue
        seen.add(draft.sentence)
        for match in _SHORT_FORM.finditer(draft.sentence):
            words = match["long"].split()
            short = match["short"]
            length = _initials(words, short)
            if length:
                yield _plain(short), _plain(" ".join(words[-length:]))


def _initials(words: list[str], short: str) -> int:
    """How many of the last words a short form stands for, or 0."""
    letters = [letter for letter in short.casefold() if letter.isalpha()]
    if len(letters) < 2:
        return 0
    parts = [(part, place) for place, word in enumerate(words) for part in word.split("-") if part]
    return _match_initials(parts, letters, len(words), _GLUE) or _match_initials(
        parts, letters, len(words), frozenset()
    )


def _match_initials(
    parts: list[tuple[str, int]], letters: list[str], count: int, skipped: frozenset[str]
) -> int:
    """Match letters to the first letters of words from the end; words in `skipped` have none."""
    at = len(parts)
    for letter in reversed(letters):
        at -= 1
        while at >= 0 and parts[at][0].casefold() in skipped:
            at -= 1
        if at < 0 or parts[at][0][0].casefold() != letter:
            return 0
    return count - parts[at][1]


def _named(draft: PropositionDraft, mentions: tuple[Mention, ...]) -> dict[int, Mention]:
    """The mentions of a draft by the position of their head word in the `Doc`."""
    heads: dict[int, Mention] = {}
    for tokens, offset in (
        (draft.tokens, draft.token_offset),
        (draft.subject, draft.subject_offset),
    ):
        if tokens is None or not len(tokens):
            continue
        shift = tokens.start_char - offset
        for mention in mentions:
            if offset <= mention.start < offset + tokens.end_char - tokens.start_char:
                span = tokens.doc.char_span(
                    mention.start + shift, mention.end + shift, alignment_mode="expand"
                )
                if span is not None:
                    heads[head_of(tokens, span.start, span.end)] = mention
    return heads


def _main(
    draft: PropositionDraft, mentions: tuple[Mention, ...], heads: dict[int, Mention]
) -> str | None:
    """The entity a statement is about: its subject, else what it mentions first."""
    if draft.structure is None and draft.subject is None:
        for token in draft.tokens:
            if token.dep_ in ("nsubj", "nsubjpass") and token.head.dep_ == "ROOT":
                if token.i in heads:
                    return heads[token.i].entity
                break
    return mentions[0].entity if mentions else None


def _relations(
    drafts: Sequence[PropositionDraft],
    mentions: tuple[tuple[Mention, ...], ...],
    named: list[dict[int, Mention]],
) -> Iterator[Relation]:
    places: dict[str, list[int]] = defaultdict(list)
    for index, each in enumerate(mentions):
        for entity in {mention.entity for mention in each}:
            places[entity].append(index)
    for index, draft in enumerate(drafts):
        if draft.structure is not None or not draft.asserted:
            continue
        shared = draft.subject.root if draft.subject is not None else None
        for stated in find_relations(draft.tokens, named[index], shared=shared):
            target = _nearest(places, stated, index)
            if target is not None:
                yield Relation(
                    stated.subject.entity, stated.predicate, stated.object.entity, index, target
                )


def _nearest(places: dict[str, list[int]], stated: Stated, index: int) -> int | None:
    """The nearest other statement that mentions the object, else the subject."""
    for entity in (stated.object.entity, stated.subject.entity):
        found = places[entity]
        at = bisect_left(found, index)
        around = [*found[max(0, at - 1) : at], *found[at + 1 : at + 2]]
        if around:
            return min(around, key=lambda place: (abs(place - index), place))
    return None
