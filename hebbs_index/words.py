"""One form for a word, so that its inflections and spellings compare as equal.

`fold_word` is used where claims are made and where word lists are loaded, so both
sides of every comparison went through the same rules. It is no stemmer: what
remains of "states", "station" and "stats" stays apart.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_SPELLINGS = {
    "licence": "license",
    "defence": "defense",
    "offence": "offense",
    "centre": "center",
    "metre": "meter",
    "litre": "liter",
    "programme": "program",
    "catalogue": "catalog",
    "cancelled": "canceled",
    "analyse": "analyze",
}
_IRREGULAR = {
    "is": "be",
    "are": "be",
    "was": "be",
    "were": "be",
    "been": "be",
    "has": "have",
    "had": "have",
    "did": "do",
    "does": "do",
    "done": "do",
    "kept": "keep",
    "sent": "send",
    "met": "meet",
    "built": "build",
    "held": "hold",
    "left": "leave",
    "lost": "lose",
    "made": "make",
    "paid": "pay",
    "ran": "run",
    "said": "say",
    "sold": "sell",
    "spent": "spend",
    "took": "take",
    "went": "go",
    "wrote": "write",
    "written": "write",
    "gave": "give",
    "given": "give",
    "became": "become",
    "began": "begin",
    "chose": "choose",
    "chosen": "choose",
    "led": "lead",
    "children": "child",
    "men": "man",
    "women": "woman",
    "people": "person",
    "indices": "index",
    "data": "data",
    "moved": "move",
    "based": "base",
    "lived": "live",
    "named": "name",
    "hired": "hire",
    "owned": "own",
    "ended": "end",
    "added": "add",
    "fixed": "fix",
    "used": "use",
    "asked": "ask",
    "fails": "fail",
    "missed": "miss",
}
_FIXED = frozenset(
    ("staging", "testing", "pricing", "billing", "morning", "evening")
)  # names of things, whatever a tagger says
_MIN_STEM = 4  # letters that must remain when an ending is cut off a word without a lemma
_MIN_FOLDED = 6  # shorter words keep their final e: "state" and "stat" are two words


@lru_cache(maxsize=65536)
def fold_word(word: str, lemma: str = "") -> str:
    """Fold a word: lower case, one spelling, no inflection. `lemma` helps where a model has one."""
    if word.casefold() in _FIXED:
        return word.casefold()
    base = unicodedata.normalize("NFKC", lemma or word).casefold().replace("’", "'")
    base = _SPELLINGS.get(base, base)
    if not base.isalpha():
        return base
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if not lemma:
        base = _without_verb_ending(base)
    return _bare(_one_spelling(_singular(base)))


def fold_base(word: str) -> str:
    """Fold a word that is a base form already, as word lists have them."""
    return fold_word(word, word)


def fold_phrase(phrase: str) -> tuple[str, ...]:
    """Fold every word of a phrase."""
    return tuple(fold_base(word) for word in phrase.split())


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _one_spelling(word: str) -> str:
    if len(word) >= 7:
        word = word.replace("isation", "ization")
    if len(word) >= 5 and word.endswith("our"):
        return word[:-3] + "or"
    if len(word) >= 6 and word.endswith("ise"):
        return word[:-3] + "ize"
    return word


def _bare(word: str) -> str:
    """Cut "-ed" of participles that a model took for adjectives, then a final e."""
    if len(word) >= _MIN_FOLDED and word.endswith("ed") and not word.endswith("eed"):
        word = _undoubled(word[:-2])
        if word.endswith("i"):
            word = word[:-1] + "y"
    if len(word) >= _MIN_FOLDED and word.endswith("e"):
        word = word[:-1]
    return word


def _without_verb_ending(word: str) -> str:
    if word.endswith("ing") and len(word) - 3 >= _MIN_STEM:
        return _undoubled(word[:-3])
    return word


def _undoubled(word: str) -> str:
    if len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] not in "lsez":
        return word[:-1]
    return word
