"""Files are analysed in a stream, each as if it were alone."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from hebbs_index import ids
from hebbs_index.layers import analyze
from hebbs_index.layers.analyze import ANALYSIS_VERSION, analyze_files
from hebbs_index.layers.nlp import LanguageModel, load_language_model
from hebbs_index.layers.parse import parse
from hebbs_index.records import FileAnalysis, FileProblem, ParsedFile

LIMITS = "# Limits\n\nThe read cap is 3.\n\nThe read cap is 3.\n\nIt may be raised.\n"
OWNERS = "# Owners\n\nAlice owns the Billing API. See [limits](../limits.md#cap) or [[People]].\n"


@pytest.fixture(scope="module")
def bare() -> LanguageModel:
    return load_language_model(enabled=False)


def parsed(path: str, text: str) -> ParsedFile:
    return parse(path, text.encode())


def analysed(language: Any, *files: ParsedFile, **options: Any) -> list[FileAnalysis]:
    results = list(analyze_files(files, language, **options))
    assert not [result for result in results if isinstance(result, FileProblem)]
    return [result for result in results if isinstance(result, FileAnalysis)]


class Breaking:
    """A language model that fails on one word."""

    def __init__(self, model: LanguageModel, word: str) -> None:
        self._model = model
        self._word = word
        self.version = model.version
        self.has_parser = model.has_parser

    def pipe(self, texts: Iterable[str]) -> Iterator[Any]:
        for text, doc in zip(texts := list(texts), self._model.pipe(texts), strict=True):
            if self._word in text:
                raise ValueError("cannot read this")
            yield doc


def test_results_come_in_the_order_of_the_files(bare: LanguageModel) -> None:
    files = [parsed(f"{number}.md", f"Text number {number} is here.") for number in range(7)]

    assert [one.document.path for one in analysed(bare, *files)] == [one.path for one in files]


def test_a_file_is_analysed_the_same_alone_and_in_company(
    bare: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [parsed("limits.md", LIMITS), parsed("a/owners.md", OWNERS), parsed("b.md", LIMITS)]
    together = analysed(bare, *files)

    monkeypatch.setattr(analyze, "WINDOW_CHARACTERS", 1)
    apart = analysed(bare, *files)

    assert together == apart
    assert together == [result for file in files for result in analysed(bare, file)]


def test_equal_texts_are_read_once(bare: LanguageModel) -> None:
    before = bare.texts

    analysed(bare, parsed("a.md", LIMITS), parsed("b.md", LIMITS))

    assert bare.texts - before == 2


def test_a_file_that_breaks_the_layers_costs_only_itself(bare: LanguageModel) -> None:
    files = [parsed("a.md", LIMITS), parsed("bad.md", "A poison word."), parsed("c.md", OWNERS)]

    good, bad, other = analyze_files(files, Breaking(bare, "poison"))  # type: ignore[arg-type]

    assert isinstance(good, FileAnalysis)
    assert isinstance(other, FileAnalysis)
    assert isinstance(bad, FileProblem)
    assert (bad.path, bad.stage) == ("bad.md", "analyze")
    assert "cannot read this" in bad.reason


def test_equal_statements_of_a_file_are_counted(bare: LanguageModel) -> None:
    [found] = analysed(bare, parsed("limits.md", LIMITS))

    assert [one.occurrence for one in found.propositions] == [0, 1, 0]
    assert found.propositions[0].statement_key == found.propositions[1].statement_key


def test_keys_cover_own_text_and_context_and_embedded_text_follows_them(
    bare: LanguageModel,
) -> None:
    [found] = analysed(bare, parsed("limits.md", LIMITS))
    last = found.propositions[-1]

    assert last.statement_key == ids.statement_key("It may be raised.", ("Limits",))
    assert last.embed_text == "Limits: It may be raised."
    by_key = {}
    for one in found.propositions:
        assert by_key.setdefault(one.statement_key, one.embed_text) == one.embed_text


def test_a_declared_entity_wins_over_what_a_statement_mentions(bare: LanguageModel) -> None:
    text = "The `billing_api` is slow."
    [free] = analysed(bare, parsed("a.md", text))
    [declared] = analysed(bare, parsed("entities/acme/a.md", text), entity_folders=("entities",))

    assert (free.propositions[0].entity, free.propositions[0].declared_entity) == (
        "billing_api",
        None,
    )
    assert declared.propositions[0].entity == "acme"
    assert declared.propositions[0].declared_entity == "acme"


def test_links_that_leave_the_corpus_are_dropped(bare: LanguageModel) -> None:
    text = OWNERS + "\n[a](https://example.com) [b](mailto:x@example.com) [c](//example.com/x)\n"
    [found] = analysed(bare, parsed("a/owners.md", text))

    assert [(link.target, link.anchor, link.wiki) for link in found.links] == [
        ("../limits.md", "cap", False),
        ("People", "", True),
    ]


def test_an_analysis_can_be_sent_to_another_process(bare: LanguageModel) -> None:
    [found] = analysed(bare, parsed("limits.md", LIMITS))

    assert pickle.loads(pickle.dumps(found)) == found


def test_the_version_names_rules_and_model(bare: LanguageModel) -> None:
    [found] = analysed(bare, parsed("limits.md", LIMITS))

    assert found.version == f"{ANALYSIS_VERSION}+{bare.version}"


def test_an_empty_file_is_a_document_without_statements(bare: LanguageModel) -> None:
    [found] = analysed(bare, parsed("empty.md", ""))

    assert found.propositions == ()
    assert found.document.title == "empty"


@pytest.mark.model
def test_the_model_adds_clauses_mentions_and_claims(nlp: LanguageModel) -> None:
    text = "The Billing API allows 100 requests and is written in Go. The Billing API is new."
    [found] = analysed(nlp, parsed("a.md", text))

    assert [one.text for one in found.propositions] == [
        "The Billing API allows 100 requests",
        "The Billing API is written in Go.",
        "The Billing API is new.",
    ]
    assert all(one.claims for one in found.propositions)
    assert {one.entity for one in found.propositions} == {"Billing API"}


@pytest.mark.model
def test_real_files_are_analysed_without_a_problem(nlp: LanguageModel, corpora_folder) -> None:
    root = corpora_folder / "site-policy"
    paths = sorted(root.rglob("*.md"))[:6]
    files = [parse(path.relative_to(root).as_posix(), path.read_bytes()) for path in paths]

    for file, found in zip(files, analysed(nlp, *files), strict=True):
        for one in found.propositions:
            assert file.text[one.span.start : one.span.end].strip()
            assert all(one.text[m.start : m.end] == m.name for m in one.mentions)
