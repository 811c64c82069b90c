"""A document carries what its file declares: title, entity, date."""

from __future__ import annotations

import pytest

from hebbs_index.layers.documents import make_document, path_facts
from hebbs_index.layers.parse import parse
from hebbs_index.records import Dated, Document


def document(path: str, text: str, folders: tuple[str, ...] = ("entities",)) -> Document:
    return make_document(parse(path, text.encode()), entity_folders=folders)


def test_a_document_holds_the_whole_text_and_its_title() -> None:
    made = document("a/guide.md", "# Read limits\n\nThe cap is 3.\n")

    assert made.title == "Read limits"
    assert made.text == "# Read limits\n\nThe cap is 3.\n"
    assert made.importance == 0.6


def test_a_file_without_a_heading_is_titled_by_its_name() -> None:
    assert document("a/guide.md", "Text.").title == "guide"


@pytest.mark.parametrize(
    ("path", "text", "entity"),
    [
        ("entities/acme/limits.md", "Text.", "acme"),
        ("entities/acme/deep/er/limits.md", "Text.", "acme"),
        ("entities/limits.md", "Text.", None),
        ("other/entities/acme/limits.md", "Text.", None),
        ("notes.md", "---\nentity_id: Acme Corp\n---\n\nText.", "Acme Corp"),
        ("notes.md", "---\nEntity-ID: 42\n---\n\nText.", "42"),
        ("entities/acme/limits.md", "---\nentity_id: Globex\n---\n\nText.", "Globex"),
        ("entities/acme/limits.md", "---\nentity_id: ''\n---\n\nText.", "acme"),
    ],
)
def test_front_matter_declares_the_entity_before_the_folder_does(
    path: str, text: str, entity: str | None
) -> None:
    assert document(path, text).entity == entity


def test_an_entity_folder_may_lie_deeper() -> None:
    made = document("docs/people/Bob_Jones/cv.md", "Text.", ("docs/people",))

    assert made.entity == "Bob_Jones"


def test_front_matter_dates_a_document() -> None:
    made = document("2020-01-01.md", "---\ndate: 2024-03-05\n---\n\nText.")

    assert made.dated == Dated("2024-03-05", "front matter")


def test_a_move_between_plain_folders_changes_no_path_facts() -> None:
    folders = ("entities",)

    assert path_facts("a/x.md", folders) == path_facts("b/c/x.md", folders)
    assert path_facts("a/x.md", folders) != path_facts("entities/acme/x.md", folders)
    assert path_facts("a/x.md", folders) != path_facts("a/2024-03-05.md", folders)
