"""Words of a draft in one shape, whether a parser read them or only a tokenizer.

A `Word` has its place in the draft's text and, where the model gave them, part of speech and
governor. Without a model the part of speech is guessed from closed word lists and
capital letters; everything built on `Word`s then works with less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hebbs_index.layers.lexicon import lexicon
from hebbs_index.layers.vocabulary import vocabulary
from hebbs_index.words import fold_word

_FUNCTION = vocabulary(
    "the a an this that these those it its itself they them their he she him her his we "
    "us our you your i me my of in on at by for from with to as and or but nor so if "
    "unless when while than then there here who which whose whom what where why how be is "
    "are was were been being am 's ’s do does did has have had can could will would shall "
    "should may might must not n't n’t no very also just too into onto over under above "
    "below up down out off about after before during between through per via any each "
    "every all both either neither some such only own same other another more most less "
    "few many much because since until although though whether however therefore yet "
    "again further once ca wo sha ai let please always never sometimes usually often "
    "currently now already still even within without across against among around along "
    "toward towards upon once's everyone everybody anyone anybody someone somebody "
    "everything anything something one ones besides except like unlike near next plus "
    "minus versus"
)
_VERBS = vocabulary(
    "is are was were be been am has have had do does did can could will would shall "
    "should may might must"
)
_COMMON_VERBS = frozenset(
    fold_word(verb)
    for verb in vocabulary(
        "live move use run support allow need require take keep cost provide include "
        "contain accept return expire end start begin default deliver fail miss stop work "
        "report own lead manage limit cap retain store process handle deploy restart send "
        "receive become remain get give make set ship release license join serve host "
        "write read delete create update change increase reduce raise lower exceed reach "
        "apply arrive close open approve reject enable disable refuse lack switch "
        "relocate bill charge pay"
    )
)
NOUNISH = frozenset({"NOUN", "PROPN", "NUM", "X", "SYM"})


@dataclass(slots=True)
class Word:
    """One token: its folded form, its place in the text and its governor's index (or its own)."""

    index: int
    text: str
    lower: str
    fold: str
    pos: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    children: list[int] = field(default_factory=list)

    @property
    def is_content(self) -> bool:
        """Whether the word carries meaning of its own."""
        return self.pos in _CONTENT_POS and self.lower not in _FUNCTION and _has_letter(self.text)

    @property
    def is_name(self) -> bool:
        """Whether the word is a name or an identifier rather than a word of the language."""
        return self.pos == "PROPN" or _identifier(self.text)


_CONTENT_POS = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "X", "INTJ", "SYM"})


@dataclass(slots=True)
class Reading:
    """The words of one draft. `parsed` tells whether governors are known."""

    text: str
    words: list[Word]
    parsed: bool
    lead_end: int = 0  # words before this index stand in the lead-in

    def subtree(self, root: int, stop: frozenset[int] = frozenset()) -> list[int]:
        """Indexes of the words under `root`, in order, not entering `stop`."""
        found, waiting = [], [root]
        while waiting:
            current = waiting.pop()
            if current in stop and current != root:
                continue
            found.append(current)
            waiting.extend(self.words[current].children)
        return sorted(found)


def read_draft(draft: Any) -> Reading:
    """Bring the spaCy spans of a draft into `Word`s over the draft's text."""
    lead = list(_span_words(getattr(draft, "lead", None), getattr(draft, "lead_offset", 0), 0))
    subject = list(
        _span_words(getattr(draft, "subject", None), getattr(draft, "subject_offset", 0), len(lead))
    )
    own = list(_span_words(draft.tokens, draft.token_offset, len(lead) + len(subject)))
    words = [*lead, *subject, *own]
    parsed = bool(own) and draft.tokens.doc.has_annotation("DEP")
    if parsed and subject:
        _attach_subject(subject, own)
    return _finish(Reading(draft.text, words, parsed, len(lead)))


def read_text(text: str, tokens: Any, offset: int = 0) -> Reading:
    """Words of a piece of text that has no draft of its own, such as a table cell."""
    words = list(_span_words(tokens, offset, 0))
    parsed = bool(words) and tokens.doc.has_annotation("DEP")
    return _finish(Reading(text, words, parsed))


def read_plain(text: str, offset: int = 0) -> Reading:
    """Words of a text no tokenizer has read: cut at white space and punctuation."""
    words = [
        _plain_word(index, part, start + offset) for index, (start, part) in enumerate(_parts(text))
    ]
    return _finish(Reading(text, words, False))


def _finish(reading: Reading) -> Reading:
    if reading.parsed:
        for word in reading.words:
            if word.head != word.index and word.dep != "ROOT":
                reading.words[word.head].children.append(word.index)
    else:
        _guess_parts_of_speech(reading.words)
    return reading


def _span_words(span: Any, offset: int, first: int) -> Iterator[Word]:
    if span is None or len(span) == 0:
        return
    tokens = [token for token in span if not token.is_space]
    places = {token.i: first + n for n, token in enumerate(tokens)}
    shift = offset - span.start_char
    for index, token in enumerate(tokens, start=first):
        head = places.get(token.head.i, index)
        yield Word(
            index=index,
            text=token.text,
            lower=token.lower_.replace("’", "'"),
            fold=fold_word(token.text, _lemma(token)),
            pos=token.pos_,
            tag=token.tag_,
            dep="ROOT" if head == index else token.dep_,
            head=head,
            start=token.idx + shift,
            end=token.idx + shift + len(token.text),
        )


def _lemma(token: Any) -> str:
    """The lemma of a common word; a name keeps its own form."""
    if token.pos_ == "PROPN":
        return str(token.lower_)
    return str(token.lemma_ or "")


def _attach_subject(subject: list[Word], own: list[Word]) -> None:
    """Make a shared subject the subject of the clause that lost it."""
    roots = [word for word in own if word.dep == "ROOT"]
    heads = [word for word in subject if word.dep == "ROOT"]
    if not roots or not heads:
        return
    if any(w.dep in ("nsubj", "nsubjpass", "expl") and w.head == roots[0].index for w in own):
        return
    for head in heads:
        head.dep, head.head = "nsubj", roots[0].index


def _parts(text: str) -> Iterator[tuple[int, str]]:
    import re

    for match in re.finditer(r"[^\W_](?:[\w.@/+#'’-]*[\w+#])?|[^\w\s]", text):
        yield match.start(), match.group()


def _plain_word(index: int, part: str, start: int) -> Word:
    lower = part.casefold().replace("’", "'")
    return Word(index, part, lower, fold_word(part), "", "", "", index, start, start + len(part))


def _guess_parts_of_speech(words: Sequence[Word]) -> None:
    known = lexicon()
    seen_verb = False
    for word in words:
        word.pos = _guess(word, words, known.light_verbs, seen_verb)
        seen_verb = seen_verb or word.pos in ("VERB", "AUX")


def _guess(word: Word, words: Sequence[Word], light: frozenset[str], seen_verb: bool) -> str:
    if not _has_letter(word.text):
        return "NUM" if word.text[:1].isdigit() else "PUNCT"
    if word.lower in _VERBS:
        return "AUX"
    if word.lower in _FUNCTION or word.lower == "not":
        return "PRON" if word.lower in _PRONOUNS else "PART"
    before = words[word.index - 1] if word.index else None
    follows_name = before is not None and before.lower not in ("the", "a", "an")
    if word.fold in _COMMON_VERBS and word.index and follows_name and word.text.islower():
        return "VERB"
    if _identifier(word.text) or (
        word.text[0].isupper() and word.index and before is not None and before.text not in ".!?:"
    ):
        return "PROPN"
    if word.lower.endswith("ly") and len(word.lower) > 4:
        return "ADV"
    return "NOUN"


_PRONOUNS = vocabulary("it this that these those they he she we you i there")


def _has_letter(text: str) -> bool:
    return any(character.isalpha() for character in text) or any(c.isdigit() for c in text)


def _identifier(text: str) -> bool:
    """`waitUntil`, `max_size`, `10.2.0.0/16`, `file.txt`: no word of the language."""
    if len(text) < 2 or not any(c.isalnum() for c in text):
        return False
    inner = text[1:]
    camel = any(c.isupper() for c in inner) and any(c.islower() for c in text)
    return (
        camel
        or "_" in text
        or any(
            a.isalnum() and mark in "./" and b.isalnum()
            for a, mark, b in zip(text, text[1:], text[2:], strict=False)
        )
    )
