"""Ids derived from content, so that a rebuild gives the same ones.

Every id is the first 16 bytes of a BLAKE2b hash over a name for its kind and its
parts, shown as 32 hex digits. No id depends on row order, clock or absolute
path. What a verdict hangs on (`statement_key`, `pair_key`) depends on no model either.
"""

from __future__ import annotations

import hashlib
import unicodedata

KEY_VERSION = "1"


def digest(kind: str, *parts: str) -> str:
    """Hash a kind and its parts to 32 hex digits; no two part lists collide by joining."""
    hasher = hashlib.blake2b(digest_size=16)
    for part in (kind, *parts):
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return hasher.hexdigest()


def fold_space(text: str) -> str:
    """Normalise to NFKC and fold runs of white space to one space; keep case."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def fold_entity(name: str) -> str:
    """Fold an entity name for comparison: case, space, `_` and `-` make no difference."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(folded.replace("_", " ").replace("-", " ").split())


def statement_key(own_text: str, context: tuple[str, ...] = ()) -> str:
    """Key of a statement: its text as written and the context that parsing gave it."""
    return digest("statement", KEY_VERSION, fold_space(own_text), *map(fold_space, context))


def document_id(birth_path: str, births: int) -> str:
    """Id of the document that was the `births`-th (from 0) to be first seen at a path."""
    return digest("document", birth_path, str(births))


def proposition_id(document: str, key: str, occurrence: int) -> str:
    """Id of the `occurrence`-th (from 0) proposition with this statement key in a document."""
    return digest("proposition", document, key, str(occurrence))


def pair_key(
    key_a: str, declared_entity_a: str | None, key_b: str, declared_entity_b: str | None
) -> str:
    """Key of an unordered pair of statements, each with its declared entity."""
    sides = sorted(
        (key, fold_entity(entity) if entity else "")
        for key, entity in ((key_a, declared_entity_a), (key_b, declared_entity_b))
    )
    return digest("pair", KEY_VERSION, *sides[0], *sides[1])


def text_hash(text: str) -> str:
    """Key of a text that is embedded: equal texts share one vector."""
    return digest("text", text)
