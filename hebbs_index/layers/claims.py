"""From a draft to claims: what a statement says, in a form that needs no model to compare.

`extract_claims` is a pure function of a draft, robust to any text, and works with a full parse as
well as with bare tokens. A statement gives one claim a clause. A table cell or field gives
the claim "attribute of subject is value".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from hebbs_index.ids import fold_entity
from hebbs_index.layers.claim_parts.attributes import (
    Attribute,
    attribute_key,
    content_indexes,
    find_attribute,
)
from hebbs_index.layers.claim_parts.clauses import Clause, split_clauses
from hebbs_index.layers.claim_parts.phrases import cues, first_kind, plain_lower
from hebbs_index.layers.claim_parts.polarity import Polarity, polarity_of
from hebbs_index.layers.claim_parts.reading import Reading, Word, read_draft, read_plain
from hebbs_index.layers.claim_parts.scope import (
    comparison_of,
    conditions_of,
    scope_words,
    split_quantities,
)
from hebbs_index.layers.claim_parts.slots import slots_of
from hebbs_index.layers.drafts import PropositionDraft, Structure
from hebbs_index.layers.lexicon import lexicon
from hebbs_index.layers.quantities import find_quantities
from hebbs_index.records import BlockKind, Claim, Dated, Quantity, Span, Term
from hebbs_index.words import fold_phrase, fold_word

CLAIMS_VERSION = "1"
"""Changes when the same draft would give other claims."""

MAX_CLAIMS = 8
"""A longer sentence is a list of data; more clauses of it are not compared."""

_NO_TERM = Term((), "")
_LABEL = re.compile(r"^(?P<label>[^:.!?]{1,70}?)\s?:\s+(?=\S)")
# A title that makes a file one of many of a kind: "Module: aws/lb", "Runbook – search".
_MEMBER = re.compile(r"(?P<kind>[A-Za-z][A-Za-z ]{1,30}?)\s*(?::| [-–—])\s+(?P<name>\S.*)$")
_UNTITLED = frozenset(("", "readme", "index", "overview", "introduction", "reference"))
_TRUE = frozenset(("true", "yes", "on", "✓", "✔", "✅"))
_FALSE = frozenset(("false", "no", "off", "✗", "✘", "❌"))


def extract_claims(draft: PropositionDraft) -> tuple[Claim, ...]:
    """The claims of one statement: at least one if it has any word, never an error."""
    reading = read_draft(draft)
    structure = draft.structure or _label_of(draft, reading)
    if structure is not None and not _is_sentence(reading, structure):
        return (_structure_claim(draft, structure),)
    clauses = _with_antecedents(reading, split_clauses(reading)[:MAX_CLAIMS])
    return tuple(_clause_claim(draft, reading, clause, structure) for clause in clauses)


def claims_of_text(
    text: str,
    language: Any,
    *,
    declared_entity: str | None = None,
    heading_path: tuple[str, ...] = (),
) -> tuple[Claim, ...]:
    """The claims of a free text, sentence by sentence; for tests and for `why`."""
    doc = next(iter(language.pipe([text])))
    return claims_of_doc(doc, declared_entity=declared_entity, heading_path=heading_path)


def claims_of_doc(
    doc: Any, *, declared_entity: str | None = None, heading_path: tuple[str, ...] = ()
) -> tuple[Claim, ...]:
    """The claims of a text that the language model has read."""
    from hebbs_index.layers.nlp import sentence_spans

    text = doc.text
    found: list[Claim] = []
    for sentence in sentence_spans(doc):
        part = text[sentence.start_char : sentence.end_char]
        draft = PropositionDraft(
            text=text,
            own_text=part,
            sentence=part,
            kind=BlockKind.PARAGRAPH,
            span=Span(0, len(text), 1, 1),
            heading_path=heading_path,
            context=(),
            tokens=sentence,
            token_offset=sentence.start_char,
            structure=None,
            title="",
            declared_entity=declared_entity,
            dated=Dated(),
            asserted=not part.rstrip(" \"'”)").endswith("?"),
        )
        found.extend(extract_claims(draft))
    return tuple(found)


def _with_antecedents(reading: Reading, clauses: list[Clause]) -> list[Clause]:
    """Let "it" and "they" in a later clause stand for the subject of the clause before."""
    named: list[int] = []
    for clause in clauses:
        words = [reading.words[i].lower for i in clause.subject]
        if named and words and all(word in ("it", "they", "this", "these") for word in words):
            clause.subject, clause.inherited = named, True
        elif content_indexes(reading, clause.subject):
            named = clause.subject
    return clauses


# -- clauses ---------------------------------------------------------------


def _clause_claim(
    draft: PropositionDraft, reading: Reading, clause: Clause, structure: Structure | None
) -> Claim:
    start, end = _extent(reading, clause)
    whole = plain_lower(draft.text)
    lowered = whole[start:end]
    ignored = _within(reading, clause, [(c.start, c.end) for c in cues(whole, "harmless")])
    modal = cues(lowered, "modality")
    optional = [(c.start + start, c.end + start) for c in modal if c.kind == "optional"]
    ignored |= _within(reading, clause, optional)
    polarity = polarity_of(reading, clause, frozenset(ignored))
    found = _quantities(draft.text, reading, clause)
    values, scopes, labels = split_quantities(reading, clause, found)
    attribute = find_attribute(reading, clause)
    numbers = _number_words(reading, clause, found)
    marked = scope_words(
        reading,
        [
            i
            for i in (*clause.words, *_lead(reading))
            if i not in numbers and (attribute is None or i not in attribute.value)
        ],
    )
    scopes += [*marked.values(), *conditions_of(reading, clause)]
    scopes += comparison_of(reading, clause)
    scopes += [("relative", f"not {word}") for word in polarity.modifiers]
    skipped = set(marked) | set(polarity.spent) | ignored | numbers
    content, kinds = _content(reading, clause, polarity, skipped)
    content, kinds = _with_labels(content, kinds, labels, draft.text)
    context = _context_terms(draft, reading, clause, structure)
    subject = _subject_term(reading, clause, attribute, context)
    changed = bool(attribute and attribute.changed) or bool(cues(lowered, "changed"))
    claim = Claim(
        subject=subject,
        attribute=Term(attribute.key, " ".join(attribute.key)) if attribute else _NO_TERM,
        value=_term(reading, attribute.value) if attribute else _NO_TERM,
        predicate=_predicate(reading, clause),
        polarity=not polarity.denied,
        negation=tuple(_one_term(reading.words[i]) for i in polarity.cues),
        modality=_modality(modal, reading, clause, polarity),
        quantifier=first_kind(lowered, "quantifier"),
        quantities=tuple(values),
        time=_time(lowered, reading, clause, changed),
        scope=_scope(draft, scopes, subject, reading),
        asserted=_asserted(draft, plain_lower(draft.text)),
        single_valued=bool(attribute and attribute.single),
        content=content,
        kinds=kinds,
        names=tuple(
            dict.fromkeys(
                w.fold for i in clause.words if (w := reading.words[i]).is_name and w.is_content
            )
        ),
    )
    return _with_slots(claim, draft)


def _predicate(reading: Reading, clause: Clause) -> str:
    """The main verb; nothing for a phrase that has none ("no spaces around the sign")."""
    root = reading.words[clause.root]
    if not reading.parsed or root.pos in ("VERB", "AUX"):
        return root.fold
    verbs = [w for i in clause.words if (w := reading.words[i]).pos in ("VERB", "AUX")]
    finite = [w for w in verbs if w.tag in ("VBZ", "VBP", "VBD", "MD")]
    return finite[0].fold if finite else ""


def _with_slots(claim: Claim, draft: PropositionDraft) -> Claim:
    return replace(claim, slots=slots_of(claim, draft.declared_entity))


def _extent(reading: Reading, clause: Clause) -> tuple[int, int]:
    words = [reading.words[i] for i in clause.words] or reading.words
    return max(0, min(w.start for w in words)), max(w.end for w in words)


def _within(reading: Reading, clause: Clause, ranges: Iterable[tuple[int, int]]) -> set[int]:
    spans = list(ranges)
    return {
        i
        for i in clause.words
        if any(
            start <= reading.words[i].start and reading.words[i].end <= end for start, end in spans
        )
    }


def _lead(reading: Reading) -> range:
    return range(reading.lead_end)


def _quantities(text: str, reading: Reading, clause: Clause) -> list[Quantity]:
    """The numbers that stand in the clause's own words."""
    if not clause.words:
        return []
    places = [(reading.words[i].start, reading.words[i].end) for i in clause.words]
    found = [
        q
        for q in find_quantities(text)
        if any(start < q.end and q.start < end for start, end in places)
    ]
    return [_with_head_noun(reading, clause, q) for q in found]


def _with_head_noun(reading: Reading, clause: Clause, quantity: Quantity) -> Quantity:
    """What is counted is the noun that the number governs in the parse ("two newest releases")."""
    if (
        not reading.parsed
        or quantity.kind not in ("amount", "rate")
        or quantity.unit in ("", "length", "mass", "frequency")
    ):
        return quantity
    for i in clause.words:
        word = reading.words[i]
        if word.start >= quantity.start and word.end <= quantity.end + 1 and word.dep == "nummod":
            head = reading.words[word.head]
            if head.pos in ("NOUN", "PROPN") and head.start > word.start:
                known = lexicon().concepts.get(head.fold, head.fold)
                window = quantity.unit.partition("/")[2]
                return replace(quantity, unit=f"{known}/{window}" if window else known)
    base, _slash, window = quantity.unit.partition("/")
    known = lexicon().concepts.get(base, base)
    return replace(quantity, unit=f"{known}/{window}" if window else known)


def _number_words(reading: Reading, clause: Clause, quantities: Iterable[Quantity]) -> set[int]:
    """Words that belong to a number: digits, units and number words, but not what is counted."""
    found: set[int] = set()
    for quantity in quantities:
        counted = quantity.unit.partition("/")[0]
        for i in clause.words:
            word = reading.words[i]
            if word.start < quantity.end and quantity.start < word.end:
                known = lexicon().concepts.get(word.fold, word.fold)
                if not (counted and known == counted and word.pos in ("NOUN", "PROPN")):
                    found.add(i)
    return found


def _content(
    reading: Reading, clause: Clause, polarity: Polarity, skipped: set[int]
) -> tuple[tuple[Term, ...], str]:
    terms: list[Term] = []
    kinds: list[str] = []
    indexes = [*clause.subject, *clause.words] if clause.inherited else clause.words
    for i in dict.fromkeys(indexes):
        word = reading.words[i]
        if not word.is_content or (i in skipped and i not in polarity.denied):
            continue
        kind = _kind(reading, word)
        if (
            word.pos == "NUM"
            and word.text[:1].isdigit()
            and not any(c.isalpha() for c in word.text)
        ):
            kind = "p" if "." in word.text or "/" in word.text else "r"
        terms.append(_one_term(word))
        kinds.append(kind.upper() if i in polarity.denied else kind)
    return tuple(terms), "".join(kinds)


def _sections(draft: PropositionDraft) -> list[tuple[str, str]]:
    """Where a table stands: the tables of two sections of one file are about two things."""
    if draft.kind is not BlockKind.TABLE_ROW or not draft.heading_path:
        return []
    return [("section", f"{fold_entity(draft.title)}: {fold_entity(draft.heading_path[-1])}")]


def _kind(reading: Reading, word: Word) -> str:
    known = lexicon()
    if word.pos in ("VERB", "AUX"):
        if word.dep in ("amod",):
            return "m"
        return "l" if word.fold in known.light_verbs else "v"
    if word.is_name:
        return "p"
    if word.pos == "ADV":
        return "r"
    if word.pos == "ADJ":
        return "m" if word.dep in ("amod", "compound", "nmod") else "a"
    if word.fold in known.light_nouns:
        return "g"
    return "n"


def _with_labels(
    content: tuple[Term, ...], kinds: str, labels: Sequence[Quantity], text: str
) -> tuple[tuple[Term, ...], str]:
    """A number that is a label ("decision 24", an address) names a thing."""
    for label in labels:
        if label.kind == "ordinal":
            word = label.text.lower()
        else:
            word = f"{label.unit}#{label.text.lower()}" if label.unit else label.text.lower()
        content = (*content, Term((word,), label.text, label.start, label.end))
        kinds += "m" if label.kind == "ordinal" else "p"
    return content, kinds


def _one_term(word: Word) -> Term:
    concept = _concept_of(word)
    words = (word.fold, concept) if concept != word.fold else (word.fold,)
    return Term(words, word.text, word.start, word.end)


def _term(reading: Reading, indexes: Sequence[int]) -> Term:
    if not indexes:
        return _NO_TERM
    words = [reading.words[i] for i in sorted(indexes)]
    start, end = words[0].start, words[-1].end
    return Term(tuple(_concept_of(w) for w in words), reading.text[start:end], start, end)


def _concept_of(word: Word) -> str:
    """The concept of a word as written ("largest") or of its base form."""
    concepts = lexicon().concepts
    return concepts.get(word.lower) or concepts.get(word.fold, word.fold)


def _concept(fold: str) -> str:
    return lexicon().concepts.get(fold, fold)


def _subject_term(
    reading: Reading, clause: Clause, attribute: Attribute | None, context: Term
) -> Term:
    owner = attribute.owner if attribute else content_indexes(reading, clause.subject)
    return _term(reading, owner) if owner else context


def _context_terms(
    draft: PropositionDraft, reading: Reading, clause: Clause, structure: Structure | None
) -> Term:
    """What the context names where the clause itself names nothing."""
    named = draft.declared_entity or ""
    if not named and structure is not None:
        named = structure.subject
    if not named and reading.lead_end:
        words = content_indexes(reading, _lead(reading))
        return Term(tuple(_concept(reading.words[i].fold) for i in words), "", -1, -1)
    if not named:
        named = _speaking(draft.heading_path) or draft.title
    return _phrase_term(named)


def _speaking(headings: Sequence[str]) -> str:
    for heading in reversed(headings):
        folds = [fold for fold in fold_phrase(re.sub(r"^[\d.\s)]+", "", heading)) if fold]
        if folds and not all(fold in lexicon().generic for fold in folds):
            return heading
    return ""


def _phrase_term(phrase: str, start: int = -1) -> Term:
    reading = read_plain(phrase)
    words = content_indexes(reading, range(len(reading.words)))
    end = -1 if start < 0 else start + len(phrase)
    return Term(tuple(_concept(reading.words[i].fold) for i in words), phrase, start, end)


def _modality(modal: Sequence[Any], reading: Reading, clause: Clause, polarity: Polarity) -> str:
    kinds = [cue.kind for cue in modal]
    for kind in ("optional", "must", "should", "may", "can", "would"):
        if kind in kinds:
            return kind
    if not clause.subject and reading.words[clause.root].tag == "VB":
        return "should"  # an imperative
    return ""


def _time(lowered: str, reading: Reading, clause: Clause, changed: bool) -> str:
    kind = first_kind(lowered, "time")
    if kind == "used_to":
        return kind
    if changed:
        return "changed"
    if kind:
        return kind
    root = reading.words[clause.root]
    tags = {
        root.tag,
        *(
            reading.words[c].tag
            for c in root.children
            if reading.words[c].dep in ("aux", "auxpass")
        ),
    }
    return "past" if "VBD" in tags else ""


def _scope(
    draft: PropositionDraft, scopes: list[tuple[str, str]], subject: Term, reading: Reading
) -> tuple[tuple[str, str], ...]:
    """The conditions, and the thing a file is about where the claim itself names none."""
    found = set(scopes)
    named = any(w.is_name and w.is_content for w in reading.words)
    if draft.declared_entity and not named:
        found.add(("entity", fold_entity(draft.declared_entity)))
    member = _MEMBER.match(draft.title)
    if member and not named:
        kind = " ".join(fold_phrase(member["kind"]))
        found.add(("document", f"{kind}: {fold_entity(member['name'])}"))
    return tuple(sorted(found))


def _asserted(draft: PropositionDraft, lowered: str) -> bool:
    openings = (plain_lower(draft.own_text), lowered, plain_lower(draft.lead_in))
    stated = not any(text.lstrip("(\"'“ ").startswith(lexicon().openings) for text in openings)
    return draft.asserted and stated


# -- fields and cells ------------------------------------------------------


def _label_of(draft: PropositionDraft, reading: Reading) -> Structure | None:
    """Read "label: value" as a field, if the label is a phrase without a verb."""
    match = _LABEL.match(draft.text)
    own = len(draft.text) - len(draft.own_text)
    if match is None or match.end() <= own or "http" in match["label"]:
        return None  # what stands before the own text introduces a list; it is no key
    if any(
        w.end <= match.end("label")
        and w.pos in ("VERB", "AUX")
        and w.tag != "VBG"
        and w.dep in ("ROOT", "aux", "auxpass", "ccomp")
        for w in reading.words
    ):
        return None
    return Structure("", match["label"].strip(), draft.text[match.end() :].strip(), match.end())


def _is_sentence(reading: Reading, structure: Structure) -> bool:
    """Whether the value is a statement of its own rather than a bare value."""
    inside = [w for w in reading.words if w.start >= structure.value_start]
    if not reading.parsed:
        return sum(w.pos == "AUX" for w in inside) > 0 and len(inside) > 3
    return any(
        w.pos in ("VERB", "AUX")
        and any(reading.words[c].dep in ("nsubj", "nsubjpass", "expl") for c in w.children)
        for w in inside
    )


def _structure_claim(draft: PropositionDraft, structure: Structure) -> Claim:
    if not structure.attribute:  # a field with a name of its own: "CEO: Bob"
        structure = replace(structure, subject="", attribute=structure.subject)
    row, column = read_plain(structure.subject), read_plain(structure.attribute)
    value = read_plain(structure.value, structure.value_start)
    truth = _truth(structure.value)
    key, owner = _structure_key(column)
    values, scopes, labels = _structure_quantities(draft, structure)
    terms = [*_plain_terms(row, placed=False), *_plain_terms(column, placed=False)]
    marked = _marked(row) | _marked(column)
    context = [(t, k) for t, k in terms if t.words[0] not in marked]
    denied = truth is False and bool(context)
    if denied:
        last = context[-1]
        context[-1] = (last[0], last[1].upper())
    clause = Clause(0, list(range(len(value.words))), [])
    polarity = polarity_of(value, clause, frozenset())
    own = [] if truth is not None else _value_terms(value, values, polarity)
    content = tuple(t for t, _k in (*context, *own))
    kinds = "".join(k for _t, k in (*context, *own))
    content, kinds = _with_labels(content, kinds, labels, draft.text)
    scopes += [
        scope
        for part in (row, column, value)
        for scope in scope_words(part, _free(part, values)).values()
    ]
    owner_terms = tuple(_concept(f) for f in (*_folds(row), *owner) if f not in marked)
    subject = (
        Term(owner_terms, structure.subject)
        if owner_terms
        else _phrase_term(draft.declared_entity or _speaking(draft.heading_path) or draft.title)
    )
    heading = " ".join(_folds(column))
    local = heading in lexicon().schema or heading in lexicon().many
    if draft.kind is BlockKind.TABLE_ROW and local and structure.subject:
        title = fold_entity(draft.title)
        scopes.append(("table", "" if title in _UNTITLED else title))
    scopes += _sections(draft)
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
        negation=tuple(_one_term(value.words[i]) for i in polarity.cues),
        modality=("must" if truth else "optional")
        if attribute and truth is not None
        else first_kind(lowered, "modality"),
        quantities=tuple(values),
        time="used_to"
        if first_kind(lowered, "time") == "used_to"
        else "changed"
        if cues(lowered, "changed")
        else "",
        scope=_scope(draft, scopes, subject, row),
        asserted=_asserted(draft, plain_lower(draft.text)),
        single_valued=_single(key, structure, truth),
        content=content,
        kinds=kinds,
        names=tuple(w.fold for w in (*row.words, *value.words) if w.is_name and w.is_content),
    )
    return _with_slots(claim, draft)


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
    return tuple(_concept(fold) for fold in folds), []


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
        if q.kind in ("id", "year", "amount", "date", "port")
    ]
    return values, scopes, labels


def _plain_terms(reading: Reading, *, placed: bool) -> list[tuple[Term, str]]:
    found = []
    for i in content_indexes(reading, range(len(reading.words))):
        word = reading.words[i]
        if not any(c.isalpha() for c in word.text):
            continue
        term = _one_term(word)
        kind = _kind(reading, word)
        found.append(
            (term if placed else Term(term.words, term.text), "n" if kind in "vlr" else kind)
        )
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
