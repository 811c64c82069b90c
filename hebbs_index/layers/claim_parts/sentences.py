"""The claim that one clause makes."""

from __future__ import annotations

from collections.abc import Iterable

from hebbs_index.layers.claim_parts.attributes import (
    Attribute,
    content_indexes,
    find_attribute,
)
from hebbs_index.layers.claim_parts.clauses import Clause
from hebbs_index.layers.claim_parts.context import (
    context_term,
    is_asserted,
    lead_of,
    modality_of,
    pointed_at,
    scope_of,
    time_of,
    with_slots,
)
from hebbs_index.layers.claim_parts.numbers import number_words, quantities_of
from hebbs_index.layers.claim_parts.phrases import cues, first_kind, plain_lower
from hebbs_index.layers.claim_parts.polarity import polarity_of
from hebbs_index.layers.claim_parts.reading import Reading
from hebbs_index.layers.claim_parts.scope import (
    comparison_of,
    conditions_of,
    scope_words,
    split_quantities,
)
from hebbs_index.layers.claim_parts.terms import (
    NO_TERM,
    content_of,
    one_term,
    term_of,
    with_labels,
)
from hebbs_index.layers.drafts import PropositionDraft, Structure
from hebbs_index.layers.lexicon import lexicon
from hebbs_index.records import Claim, Term


def clause_claim(
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
    found = quantities_of(draft.text, reading, clause)
    values, scopes, labels = split_quantities(reading, clause, found)
    attribute = find_attribute(reading, clause)
    numbers = number_words(reading, clause, found)
    marked = scope_words(
        reading,
        [
            i
            for i in (*clause.words, *lead_of(reading))
            if i not in numbers and (attribute is None or i not in attribute.value)
        ],
    )
    scopes += [*marked.values(), *conditions_of(reading, clause)]
    scopes += [*comparison_of(reading, clause), *pointed_at(draft, reading, clause)]
    scopes += [("relative", f"not {word}") for word in polarity.modifiers]
    skipped = set(marked) | set(polarity.spent) | ignored | numbers
    content, kinds = content_of(reading, clause, polarity, skipped)
    content, kinds = with_labels(content, kinds, labels, draft.text)
    context = context_term(draft, reading, clause, structure)
    subject = _subject_term(reading, clause, attribute, context)
    changed = bool(attribute and attribute.changed) or bool(cues(lowered, "changed"))
    claim = Claim(
        subject=subject,
        attribute=Term(attribute.key, " ".join(attribute.key)) if attribute else NO_TERM,
        value=term_of(reading, attribute.value) if attribute else NO_TERM,
        predicate=predicate_of(reading, clause),
        polarity=not polarity.denied,
        negation=tuple(one_term(reading.words[i]) for i in polarity.cues),
        modality=modality_of(modal, reading, clause, polarity),
        quantifier=first_kind(lowered, "quantifier"),
        quantities=tuple(values),
        time=time_of(lowered, reading, clause, changed),
        scope=scope_of(draft, scopes, subject, reading),
        asserted=is_asserted(draft, plain_lower(draft.text)) and not is_bare(reading, clause),
        single_valued=bool(attribute and attribute.single),
        content=content,
        kinds=kinds,
        names=tuple(
            dict.fromkeys(
                w.fold for i in clause.words if (w := reading.words[i]).is_name and w.is_content
            )
        ),
    )
    return with_slots(claim, draft, of_its_own=claim.subject.start < 0)


def predicate_of(reading: Reading, clause: Clause) -> str:
    """The main verb; nothing for a phrase that has none ("no spaces around the sign")."""
    root = reading.words[clause.root]
    if not reading.parsed or root.pos in ("VERB", "AUX"):
        return root.fold
    verbs = [w for i in clause.words if (w := reading.words[i]).pos in ("VERB", "AUX")]
    finite = [w for w in verbs if w.tag in ("VBZ", "VBP", "VBD", "MD")]
    return finite[0].fold if finite else ""


def is_bare(reading: Reading, clause: Clause) -> bool:
    """Whether a clause states nothing: "If you have no badge", "Whether it should be on"."""
    root = reading.words[clause.root]
    marks = [reading.words[i] for i in root.children if reading.words[i].dep in ("mark", "advmod")]
    opens = any(
        w.index == min(clause.words) and w.lower in lexicon().condition_openings for w in marks
    )
    if any(w.lower == "whether" for w in marks):
        return True
    return opens and root.pos in ("VERB", "AUX") and root.tag != "VBG"


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


def _subject_term(
    reading: Reading, clause: Clause, attribute: Attribute | None, context: Term
) -> Term:
    owner = attribute.owner if attribute else content_indexes(reading, clause.subject)
    return term_of(reading, owner) if owner else context
