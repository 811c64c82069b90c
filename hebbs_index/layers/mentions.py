"""Names in a text: where something that has a name is mentioned.

What counts: spaCy's named entities, inline code that is an identifier, words in the shape of an
identifier (CamelCase, snake_case, dotted.names, ALL_CAPS), defined terms, and
capitalised words within a sentence. Numbers, dates, amounts and pronouns are no names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hebbs_index.ids import fold_entity
from hebbs_index.layers.drafts import PropositionDraft
from hebbs_index.layers.vocabulary import vocabulary
from hebbs_index.records import BlockKind

_LABELS = {
    "PERSON": "person",
    "ORG": "organization",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "PRODUCT": "product",
    "WORK_OF_ART": "work",
    "LAW": "law",
    "EVENT": "event",
    "LANGUAGE": "language",
    "NORP": "group",
}
_IDENTIFIER = re.compile(
    r"(?<![\w./@-])(?:"
    r"--?[a-z][\w-]+|"  # --flag
    r"[A-Za-z]\w*(?:_\w+)+|"  # snake_case, ALL_CAPS_NAMES
    r"[A-Z]+[a-z0-9]+(?:[A-Z]+[a-z0-9]*)+|[a-z]+[0-9]*(?:[A-Z][a-z0-9]+)+|"  # CamelCase
    r"[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+|"  # dotted.names
    r"[A-Z][A-Z0-9]+(?:[-/][A-Z0-9]+)*s?"  # ALLCAPS
    r")(?![\w@])"
)
_CODE = re.compile(r"^(?:\$ ?)?[\w@./:*<>{}\[\]()=+-]+(?: [\w./-]+)?$")
_SHOUTED = vocabulary(
    "MUST SHOULD SHALL MAY NOT NO REQUIRED RECOMMENDED OPTIONAL NEVER ALWAYS ONLY ALL ANY AND OR "
    "NOTE WARNING IMPORTANT TODO TBD FIXME OK YES AM PM IS ARE IF THE A AN TO IN ON OF BE DO DOES "
    "WILL CAN CANNOT CEO CTO CFO COO CIO CISO CPO CMO VP SVP EVP UTC GMT EST PST PDT EDT CET FAQ "
    "AKA ETA FYI PS NB TL DR NA II III IV VI VII VIII IX XI"
)
_PLAIN_VALUES = vocabulary(
    "string str int integer number float bool boolean any list map object array none null true "
    "false yes no on off date bytes char void type value default"
)
_ABBREVIATION = re.compile(r"^(?:e\.g|i\.e|etc|a\.m|p\.m|vs|approx|no|cf)\.?$", re.IGNORECASE)
_DEFINED = re.compile(
    r"^(?:The |A |An )?[“\"](?P<term>[^”\"]{2,60})[”\"] (?:means|is|are|refers to|denotes)\b"
)
_LEADING = re.compile(
    r"^(?:the|an?|our|your|their|its|this|that|these|those|any|each|every|all) ", re.IGNORECASE
)
_EDGES = " .,;:!?\"“”‘()[]{}<>*`_~|/\\&+-–—#$…'’"
_POSSESSIVE = re.compile(r"['’]s?$")
_COMMON_CAPITALS = vocabulary(
    "i monday tuesday wednesday thursday friday saturday sunday january february march april may "
    "june july august september october november december mon tue wed thu fri sat sun jan feb mar "
    "apr jun jul aug sep sept oct nov dec note please see example figure table section chapter "
    "appendix step part item option version yes no true false none null todo mr mrs ms dr q1 q2 q3 "
    "q4 today tomorrow yesterday am pm he she it they we you this that these those there here who "
    "what which when where why how if then else and or but not the a an in on at to for from with "
    "by of as is are was were be do does did has have had can could will would shall should must "
    "might every each all any some one two three first second third last next new old use using "
    "used run add set get make also however therefore thus while although because since until "
    "unless after before during once only just still already never always often usually sometimes "
    "currently recently"
)
_MAX_NAME = 80
_MAX_WORDS = 7


@dataclass(frozen=True, slots=True)
class Found:
    """A name as it stands in a draft's text, before names are merged."""

    start: int
    end: int
    name: str
    label: str


def find_mentions(draft: PropositionDraft) -> list[Found]:
    """The names in a draft's text, leftmost first, none over another."""
    text = draft.text
    candidates = [
        *_code_names(draft),
        *_identifiers(text),
        *_defined_terms(draft),
        *_row_label(draft),
        *_model_names(draft),
    ]
    first, last = _attribute_range(draft)
    return _without_overlap(
        text, [found for found in candidates if found.end <= first or found.start >= last]
    )


def _row_label(draft: PropositionDraft) -> Iterator[Found]:
    """What a table row or field is about is named by its label, however it is written."""
    subject = draft.structure.subject if draft.structure is not None else ""
    wanted = draft.kind in (BlockKind.TABLE_ROW, BlockKind.FIELD)
    if wanted and subject and len(subject.split()) <= 5 and draft.text.startswith(subject):
        yield Found(0, len(subject), subject, "term")


def _attribute_range(draft: PropositionDraft) -> tuple[int, int]:
    """Where a column header or key stands in the text: it names no thing."""
    structure = draft.structure
    if structure is None or not structure.attribute:
        return 0, 0
    start = len(structure.subject) if draft.text.startswith(structure.subject) else 0
    return start, structure.value_start


def _code_names(draft: PropositionDraft) -> Iterator[Found]:
    for start, end in draft.code:
        written = draft.text[start:end]
        names = len(written) <= _MAX_NAME and _CODE.match(written)
        if names and written.casefold().strip("\"'") not in _PLAIN_VALUES:
            yield Found(start, end, written, "code")


def _identifiers(text: str) -> Iterator[Found]:
    for match in _IDENTIFIER.finditer(text):
        word = match.group()
        if word in _SHOUTED or _ABBREVIATION.match(word) or len(word.strip("-")) < 2:
            continue
        plain_capitals = word.removesuffix("s").isupper() and "_" not in word
        yield Found(match.start(), match.end(), word, "name" if plain_capitals else "code")


def _defined_terms(draft: PropositionDraft) -> Iterator[Found]:
    match = _DEFINED.match(draft.text)
    if match is not None:
        yield Found(*match.span("term"), match["term"], "term")
    for start, end in draft.strong:
        written = draft.text[start:end].rstrip(" :")
        follows = draft.text[end : end + 12].lstrip(" :")
        if len(written.split()) <= 4 and re.match(r"(?:means|is|are|refers)\b", follows):
            yield Found(start, start + len(written), written, "term")


def _model_names(draft: PropositionDraft) -> Iterator[Found]:
    shift = draft.token_offset - draft.tokens.start_char if len(draft.tokens) else 0
    yield from _span_names(draft.tokens, shift)
    if draft.subject is not None:
        yield from _span_names(draft.subject, draft.subject_offset - draft.subject.start_char)
    if draft.lead is not None:
        yield from _span_names(draft.lead, draft.lead_offset - draft.lead.start_char)


def _span_names(tokens: Any, shift: int) -> Iterator[Found]:
    for entity in tokens.ents:
        label = _LABELS.get(entity.label_)
        if label is not None and not entity.text.islower():
            yield Found(entity.start_char + shift, entity.end_char + shift, entity.text, label)
    yield from _capitalised(tokens, shift)


def _capitalised(tokens: Any, shift: int) -> Iterator[Found]:
    """Runs of capitalised words that do not stand where every word is capitalised."""
    run: list[Any] = []
    words = [token for token in tokens if token.is_alpha]
    if len(words) > 3 and sum(word.text[0].isupper() for word in words) > 0.7 * len(words):
        return  # a title: capitals say nothing
    opening = True
    for token in tokens:
        written = token.text
        if (
            written[0].isupper()
            and written[-1].isalnum()
            and (run or token.lower_ not in _COMMON_CAPITALS)
            and (not opening or _is_proper_subject(token))
        ):
            run.append(token)
        elif run:
            yield _run_found(run, shift)
            run = []
        opening = written[-1] in ".!?:•|" or (opening and not written[-1].isalnum())
    if run:
        yield _run_found(run, shift)


def _is_proper_subject(token: Any) -> bool:
    """Whether the word that opens a sentence, capital anyway, is taken for a proper subject."""
    if token.tag_ != "NNP" or token.ent_type_ in ("DATE", "TIME"):
        return False
    head = token.head if token.dep_ in ("compound", "poss") else token
    return head.dep_ in ("nsubj", "nsubjpass") and head.tag_ in ("NNP", "NN", "NNS", "NNPS")


def _run_found(run: list[Any], shift: int) -> Found:
    start, end = run[0].idx, run[-1].idx + len(run[-1].text)
    name = run[0].doc.text[start:end]
    return Found(start + shift, end + shift, name, "name")


def _without_overlap(text: str, candidates: list[Found]) -> list[Found]:
    """Trim every candidate to its name; of two that overlap keep the longer, code first."""
    trimmed = [found for one in candidates if (found := _trimmed(text, one)) is not None]
    trimmed.sort(key=_preference)
    kept: list[Found] = []
    taken: set[int] = set()
    for found in trimmed:
        places = range(found.start, found.end)
        if taken.isdisjoint(places):
            taken.update(places)
            kept.append(found)
    return sorted(kept, key=lambda found: found.start)


def _preference(found: Found) -> tuple[bool, int, int, bool]:
    """Code before anything, then the longer, then the one whose label says more."""
    return found.label != "code", found.start - found.end, found.start, found.label == "name"


def _trimmed(text: str, found: Found) -> Found | None:
    start, end = found.start, found.end
    if found.label != "code":
        dash = text.find(" - ", start, end)
        end = dash if dash > 0 else end
        leading = _LEADING.match(text[start:end])
        start += leading.end() if leading else 0
        while start < end and text[start] in _EDGES:
            start += 1
        possessive = _POSSESSIVE.search(text, start, end)
        end = possessive.start() if possessive else end
        while end > start and text[end - 1] in _EDGES:
            end -= 1
    name = text[start:end]
    return Found(start, end, name, found.label) if _is_name(name, found.label) else None


def _is_name(name: str, label: str) -> bool:
    if not 1 < len(name) <= _MAX_NAME or len(name.split()) > _MAX_WORDS:
        return False
    if not any(character.isalpha() for character in name):
        return False
    folded = fold_entity(name)
    if label == "code":
        return bool(folded)
    if "@" in name[1:]:
        return False
    return folded not in _COMMON_CAPITALS and name not in _SHOUTED
