"""Terms: words of a reading in the form in which claims keep them.

A term holds the folded word and, where the lexicon has one, the concept that it shares with other
words. The letter beside each content word tells what kind of word it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from hebbs_index.layers.claim_parts.attributes import (
    content_indexes,
)
from hebbs_index.layers.claim_parts.clauses import Clause
from hebbs_index.layers.claim_parts.polarity import Polarity
from hebbs_index.layers.claim_parts.reading import Reading, Word, read_plain
from hebbs_index.layers.lexicon import lexicon
from hebbs_index.records import Quantity, Term
from hebbs_index.words import fold_word

NO_TERM = Term((), "")


def one_term(word: Word) -> Term:
    concept = concept_of(word)
    words = (word.fold, concept) if concept != word.fold else (word.fold,)
    return Term(words, word.text, word.start, word.end)


def terms_of(word: Word) -> list[Term]:
    """The terms of a word; `visibility_timeout` gives those of its parts, all at its place."""
    parts = [part for part in word.text.split("_") if part]
    if len(parts) < 2:
        return [one_term(word)]
    found = []
    for part in parts:
        fold = fold_word(part)
        known = lexicon().concepts.get(fold)
        words = (fold, known) if known and known != fold else (fold,)
        found.append(Term(words, word.text, word.start, word.end))
    return found


def term_of(reading: Reading, indexes: Sequence[int]) -> Term:
    if not indexes:
        return NO_TERM
    words = [reading.words[i] for i in sorted(indexes)]
    start, end = words[0].start, words[-1].end
    return Term(tuple(concept_of(w) for w in words), reading.text[start:end], start, end)


def concept_of(word: Word) -> str:
    """The concept of a word as written ("largest") or of its base form."""
    concepts = lexicon().concepts
    return concepts.get(word.lower) or concepts.get(word.fold, word.fold)


def concept(fold: str) -> str:
    return lexicon().concepts.get(fold, fold)


def phrase_term(phrase: str, start: int = -1) -> Term:
    reading = read_plain(phrase)
    words = content_indexes(reading, range(len(reading.words)))
    end = -1 if start < 0 else start + len(phrase)
    return Term(tuple(concept(reading.words[i].fold) for i in words), phrase, start, end)


def kind_of(reading: Reading, word: Word) -> str:
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


def content_of(
    reading: Reading, clause: Clause, polarity: Polarity, skipped: set[int]
) -> tuple[tuple[Term, ...], str]:
    terms: list[Term] = []
    kinds: list[str] = []
    indexes = [*clause.subject, *clause.words] if clause.inherited else clause.words
    for i in dict.fromkeys(indexes):
        word = reading.words[i]
        if not word.is_content or (i in skipped and i not in polarity.denied):
            continue
        kind = kind_of(reading, word)
        if (
            word.pos == "NUM"
            and word.text[:1].isdigit()
            and not any(c.isalpha() for c in word.text)
        ):
            kind = "p" if "." in word.text or "/" in word.text else "r"
        for term in terms_of(word):
            terms.append(term)
            kinds.append(kind.upper() if i in polarity.denied else kind)
    return tuple(terms), "".join(kinds)


def with_labels(
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
