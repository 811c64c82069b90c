"""Layer 1: the file as one record.

Besides text and title a document carries what the whole file declares: the entity it
is about and the date it states. Statements inherit both unless a heading says more.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from hebbs_index.ids import fold_entity
from hebbs_index.layers.dates import date_of_file, date_of_name
from hebbs_index.records import Document, ParsedFile


def make_document(parsed: ParsedFile, *, entity_folders: tuple[str, ...] = ()) -> Document:
    """Make the document record of a parsed file.

    `entity_folders` are folders relative to the root whose subfolders are named
    for entities: with "entities", the file `entities/acme/limits.md` is about "acme".
    """
    return Document(
        path=parsed.path,
        title=parsed.title.strip() or PurePosixPath(parsed.path).stem,
        text=parsed.text,
        format=parsed.format,
        encoding=parsed.encoding,
        content_hash=parsed.content_hash,
        entity=declared_entity(parsed, entity_folders),
        front_matter=parsed.front_matter,
        dated=date_of_file(parsed.path, parsed.front_matter),
    )


def declared_entity(parsed: ParsedFile, entity_folders: tuple[str, ...]) -> str | None:
    """The entity a file declares: `entity_id` in front matter, else its folder, else None."""
    for key, value in parsed.front_matter.items():
        if fold_entity(str(key)) == "entity id" and isinstance(value, str | int):
            name = str(value).strip()
            if name and not isinstance(value, bool):
                return name
    return _entity_of_folder(parsed.path, entity_folders)


def path_facts(path: str, entity_folders: tuple[str, ...]) -> tuple[str | None, ...]:
    """All that a document takes from its path; equal facts mean that a move changes no layer.

    The name itself is one: it tells the format, and titles a file that has no heading.
    """
    return (
        _entity_of_folder(path, entity_folders),
        date_of_name(path),
        PurePosixPath(path).name,
    )


def _entity_of_folder(path: str, entity_folders: tuple[str, ...]) -> str | None:
    parts = PurePosixPath(path).parts
    for folder in entity_folders:
        prefix = PurePosixPath(folder).parts
        # The last part is the file: a file in the folder itself has no entity of its own.
        if prefix and parts[: len(prefix)] == prefix and len(parts) > len(prefix) + 1:
            return parts[len(prefix)]
    return None
