"""The claim that a field or table cell makes: attribute of subject is value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hebbs_index.ids import fold_entity
from hebbs_index.layers.claim_parts.attributes import (
    attribute_key,
    content_indexes,
)
from hebbs_index.layers.claim_parts.clauses import Clause
from hebbs_index.layers.claim_parts.context import (
    UNTITLED,
    is_asserted,
    is_of_file,
    own_of,
    record_of,
    row_of,
    scope_of,
    section_of,
    speaking_heading,
    with_slots,
)
from hebbs_index.layers.claim_parts.phrases import cues, first_kind, plain_lower, time_cue
from hebbs_index.layers.claim_parts.polarity import Polarity, polarity_of
from hebbs_index.layers.claim_parts.reading import Reading, read_plain
from hebbs_index.layers.claim_parts.scope import (
    scope_words,
)
from hebbs_index.layers.claim_parts.terms import (
    concept,
    kind_of,
    one_term,
    phrase_term,
    terms_of,
    with_labels,
)
from hebbs_index.layers.drafts import PropositionDraft, Structure
from hebbs_index.layers.lexicon import lexicon
from hebbs_index.layers.quantities import find_quantities
from hebbs_index.records import BlockKind, Claim, Quantity, Term
from hebbs_index.words import fold_phrase, fold_word

_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


_LABEL = re.compile(r"(?P<label>[^:.!?]{1,70}?)\s?:\s+(?=\S)")


_TRUE = frozenset(("true", "yes", "on", "✓", "✔", "✅"))


_FALSE = frozenset(("false", "no", "off", "✗", "✘", "❌"))


def label_of(draft: PropositionDraft, reading: Reading) -> Structure | None:
    """Read "label: value" as a field, if the label is a phrase without a verb."""
    match = _LABEL.match(draft.text)
    own = len(draft.text) - len(draft.own_text)
    if match is not None and match.end() <= own:
        match = _LABEL.match(draft.text, own)  # what stands before introduces a list; it is no key
    if match is None or match.end() <= own or "http" in match["label"]:
        return None
    if any(
        match.start() <= w.start
        and w.end <= match.end("label")
        and w.pos in ("VERB", "AUX")
        and w.tag != "VBG"
        and w.dep in ("ROOT", "aux", "auxpass", "ccomp")
        for w in reading.words
    ):
        return None
    return Structure("", match["label"].strip(), draft.text[match.end() :].strip(), match.end())


def is_sentence(reading: Reading, structure: Structure) -> bool:
    """Whether the value is a statement of its own rather than a bare value."""
    inside = [w for w in reading.words if w.start >= structure.value_start]
    if not reading.parsed:
        return sum(w.pos == "AUX" for w in inside) > 0 and len(inside) > 3
    return any(
        w.pos in ("VERB", "AUX")
        and any(reading.words[c].dep in ("nsubj", "nsubjpass", "expl") for c in w.children)
        for w in inside
    )


def structure_claim(draft: PropositionDraft, structure: Structure) -> Claim:
    cell = [
        *row_of(draft, structure),
        *own_of(draft, structure),
        *record_of(draft, structure),
    ]
    if not structure.attribute or _holds_values(structure):  # its own name: "CEO: Bob"
        structure = replace(structure, subject="", attribute=structure.subject)
    row, column = read_plain(_spaced(structure.subject)), read_plain(_spaced(structure.attribute))
    value = read_plain(structure.value, structure.value_start)
    truth = _truth(structure.value)
    key, owner = _structure_key(column)
    values, scopes, labels = _structure_quantities(draft, structure)
    terms = [*_plain_terms(row, placed=False), *_plain_terms(column, placed=False)]
    marked = _marked(row) | _marked(column)
    topic = _topic_words(draft, structure)
    context = [(t, k) for t, k in terms if t.words[0] not in marked | topic]
    if fold_word(structure.subject) in lexicon().tier_words and structure.subject[:1].isupper():
        scopes.append(("tier", fold_word(structure.subject)))
        context = [(t, k) for t, k in context if t.words[0] != fold_word(structure.subject)]
    denied = truth is False and bool(context)
    if denied:
        last = context[-1]
        context[-1] = (last[0], last[1].upper())
    clause = Clause(0, list(range(len(value.words))), [])
    polarity = polarity_of(value, clause, frozenset())
    own = [] if truth is not None else _value_terms(value, values, polarity)
    content = tuple(t for t, _k in (*context, *own))
    kinds = "".join(k for _t, k in (*context, *own))
    content, kinds = with_labels(content, kinds, labels, draft.text)
    scopes += [
        scope
        for part in (row, column, value)
        for scope in scope_words(part, _free(part, values)).values()
    ]
    owner_terms = tuple(concept(f) for f in (*_folds(row), *owner) if f not in marked)
    subject = (
        Term(owner_terms, structure.subject)
        if owner_terms
        else phrase_term(
            draft.declared_entity or speaking_heading(draft.heading_path) or draft.title
        )
    )
    heading = " ".join(_folds(column))
    local = heading in lexicon().schema or heading in lexicon().many
    if draft.kind is BlockKind.TABLE_ROW and local and structure.subject:
        title = fold_entity(draft.title)
        scopes.append(("table", "" if title in UNTITLED else title))
    scopes += [*section_of(draft), *cell]
    if heading in lexicon().many:
        values = []  # a number in a description is not the attribute's value
    attribute = "required" in _folds(column) or "requir" in _folds(column)
    lowered = plain_lower(structure.value)
    claim = Claim(
        subject=subject,
        attribute=Term(key, structure.attribute),
        value=Term(
            tuple(dict.fromkeys(t.words[-1] for t, _k in own)),
            structure.value,
            structure.value_start,
            structure.value_start + len(structure.value),
        ),
        predicate="be",
        polarity=not denied and not polarity.denied,
        negation=tuple(one_term(value.words[i]) for i in polarity.cues),
        modality=("must" if truth else "optional")
        if attribute and truth is not None
        else first_kind(lowered, "modality"),
        quantities=tuple(values),
        time="used_to"
        if time_cue(lowered) == "used_to"
        else "changed"
        if cues(lowered, "changed")
        else "",
        scope=scope_of(draft, scopes, subject, row),
        asserted=is_asserted(draft, plain_lower(draft.text)),
        single_valued=_single(key, structure, truth),
        content=content,
        kinds=kinds,
        names=tuple(w.fold for w in (*row.words, *value.words) if w.is_name and w.is_content),
    )
    return with_slots(claim, draft, of_its_own=not owner_terms and is_of_file(draft, structure))


def _spaced(label: str) -> str:
    """An identifier that names an attribute as people write it: `read_timeout`, `maxSize`."""
    parts = _PARTS.findall(label)
    if len(parts) < 2 or len(label.split()) > 1:
        return label
    folds = [fold_word(part.lower()) for part in parts]
    known = attribute_key(folds)[2] or folds[-1] in lexicon().numeric_nouns
    return " ".join(part.lower() for part in parts) if known else label


def _topic_words(draft: PropositionDraft, structure: Structure) -> frozenset[str]:
    """Words that a row or field has from its heading, title or lead-in, and not from its label."""
    around = {draft.title, *draft.heading_path, draft.lead_in.rstrip(" :")}
    own: set[str] = set(fold_phrase(structure.attribute))
    topic: set[str] = set()
    for part in structure.subject.split(", "):
        (topic if part in around else own).update(fold_phrase(part))
    return frozenset(topic - own)


def _holds_values(structure: Structure) -> bool:
    """Whether a column only says "here is the value": then the row names the attribute."""
    heading = " ".join(fold_phrase(structure.attribute))
    if not structure.subject or heading not in lexicon().value_columns:
        return False
    folds = [fold for fold in fold_phrase(structure.subject) if fold]
    return heading == "value" or attribute_key(folds)[2] or _structure_key_known(structure.subject)


def _structure_key_known(label: str) -> bool:
    """Whether some part of a label names a known attribute ("Head of Support")."""
    folds = _folds(read_plain(label))
    return any(attribute_key(folds[:place])[2] for place in range(1, len(folds) + 1))


def _free(reading: Reading, quantities: Sequence[Quantity]) -> list[int]:
    """The words that are no part of a number."""
    return [
        w.index
        for w in reading.words
        if not any(w.start < q.end and q.start < w.end for q in quantities)
    ]


def _truth(value: str) -> bool | None:
    word = value.strip(" .`*\"'").casefold()
    return True if word in _TRUE else False if word in _FALSE else None


def _folds(reading: Reading) -> list[str]:
    return [reading.words[i].fold for i in content_indexes(reading, range(len(reading.words)))]


def _marked(reading: Reading) -> set[str]:
    return {reading.words[i].fold for i in scope_words(reading, range(len(reading.words)))}


def _structure_key(column: Reading) -> tuple[tuple[str, ...], list[str]]:
    """The attribute that a key names, and the words in it that belong to the thing."""
    folds = _folds(column)
    pair = tuple(word.fold for word in column.words[:2])
    if len(column.words) == 2 and pair in lexicon().verb_attributes:
        return (lexicon().verb_attributes[pair],), []  # "Lives in"
    key, size, known = attribute_key(folds)
    if known:
        return key, folds[: len(folds) - size]
    for place in range(len(folds), 0, -1):
        key, size, known = attribute_key(folds[:place])
        if known:
            return key, [*folds[: place - size], *folds[place:]]
    return tuple(concept(fold) for fold in folds), []


# Numbers in a label that tell one row or field from another ("up to 3 years").
_NAMING_KINDS = frozenset(
    ("id", "year", "amount", "date", "port", "duration", "money", "bytes", "percent")
)


def _structure_quantities(
    draft: PropositionDraft, structure: Structure
) -> tuple[list[Quantity], list[tuple[str, str]], list[Quantity]]:
    shift = structure.value_start
    values = [
        replace(q, start=q.start + shift, end=q.end + shift)
        for q in find_quantities(structure.value)
        if q.kind not in ("id", "ordinal", "port") or q.unit == "address"
    ]
    labels = [
        replace(q, start=q.start + shift, end=q.end + shift)
        for q in find_quantities(structure.value)
        if q.kind in ("id", "port") and q.unit != "address"
    ]
    named = [q for part in (structure.subject, structure.attribute) for q in find_quantities(part)]
    scopes = [("version", f"{q.value:g}") for q in named if q.kind == "version"]
    labels += [
        replace(q, start=-1, end=-1)
        for q in named
        if q.kind
        in ("id", "year", "amount", "date", "port", "duration", "money", "bytes", "percent")
    ]
    return values, scopes, labels


def _plain_terms(reading: Reading, *, placed: bool) -> list[tuple[Term, str]]:
    found = []
    for i in content_indexes(reading, range(len(reading.words))):
        word = reading.words[i]
        if not any(c.isalpha() for c in word.text):
            continue
        kind = kind_of(reading, word)
        for term in terms_of(word):
            kept = term if placed else Term(term.words, term.text)
            found.append((kept, "n" if kind in "vlr" else kind))
    return found


def _value_terms(
    value: Reading, quantities: Sequence[Quantity], polarity: Polarity
) -> list[tuple[Term, str]]:
    """The words of a value that are not part of a number."""
    denied = {value.words[i].start for i in polarity.denied}
    spent = {value.words[i].start for i in polarity.spent}
    return [
        (term, kind.upper() if term.start in denied else kind)
        for term, kind in _plain_terms(value, placed=True)
        if term.start not in spent
        and not any(term.start < q.end and q.start < term.end for q in quantities)
    ]


def _plain_keys() -> frozenset[tuple[str, ...]]:
    """Keys of known attributes, some of which end in s ("headquarters")."""
    known = lexicon()
    return frozenset((key,) for key in known.attribute_nouns.values()) | known.role_nouns


def _single(key: tuple[str, ...], structure: Structure, truth: bool | None) -> bool:
    if (
        truth is not None
        or not key
        or " ".join(key) in lexicon().many
        or fold_word(key[-1]) in lexicon().many
    ):
        return False
    value = structure.value.strip()
    last = structure.attribute.rstrip(" :)").lower()
    if last.endswith("s") and not last.endswith(("ss", "us", "is")):
        return _structure_key(read_plain(last))[0] in _plain_keys()  # "Values": a list of them
    return len(value.split()) <= 5 and not re.search(r",|;|\band\b|/", value)
