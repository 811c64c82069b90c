"""Recall merges words and meaning, narrows as asked, and answers with k different texts."""

from __future__ import annotations

import pytest
from doubles import open_small

from hebbs_index.errors import InputError
from hebbs_index.reports import ContradictionVerdictInput as Verdict


@pytest.fixture
def hebbs(corpus):
    corpus.write("docs/archive.md", "# Archive\n\nThe archive closes at noon.\n")
    corpus.write("notes/keys.txt", "The keys hang beside the door.\n")
    corpus.write("entities/acme/offer.md", "The offer expires in May.\n")
    with open_small(corpus.root) as opened:
        opened.index()
        yield opened


def contents(hits) -> list[str]:
    return [hit.content for hit in hits]


def test_an_answer_says_where_it_stands_and_how_near_it_is(hebbs):
    hit = hebbs.recall("archive closes noon")[0]
    assert (hit.content, hit.source.path, hit.source.line_start) == (
        "The archive closes at noon.",
        "docs/archive.md",
        3,
    )
    assert hit.kind == "proposition"
    assert 0 < hit.similarity <= 1
    assert (hit.contested_by, hit.superseded_by) == ((), ())


def test_a_text_found_by_words_and_by_meaning_stands_above_one_found_by_either(hebbs):
    hits = hebbs.recall("archive closes at noon")
    assert hits[0].content == "The archive closes at noon."
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(hits) == 3, "by meaning everything is found, however far"


def test_words_alone_answer_without_the_embedding_model(corpus, hebbs):
    with open_small(corpus.root, **{"embedding.enabled": False}) as without:
        without._workspace.models._embedder = None
        (hit,) = without.recall("archive")
        assert hit.similarity is None


def test_another_models_vectors_are_never_compared(hebbs):
    hebbs._workspace.models._embedder.fingerprint = "another"
    assert [hit.similarity for hit in hebbs.recall("archive")] == [None]


def test_a_question_of_marks_and_signs_is_no_search_syntax(hebbs):
    for question in ('"', "archive AND", "NEAR(archive", "-archive", "content:archive", "*"):
        assert hebbs.recall(question) is not None


def test_a_path_narrows_to_what_stands_below_it(hebbs):
    hits = hebbs.recall("where is the archive", paths=[hebbs.root / "notes"])
    assert {hit.source.path for hit in hits} == {"notes/keys.txt"}


def test_a_path_as_lists_show_it_will_do_from_anywhere(hebbs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hits = hebbs.recall("the keys", paths=["notes/keys.txt"])
    assert {hit.source.path for hit in hits} == {"notes/keys.txt"}


def test_a_path_that_names_nothing_is_refused(hebbs):
    with pytest.raises(InputError, match="nothing is indexed from there"):
        hebbs.recall("the keys", paths=["nots"])


def test_a_copy_outside_the_path_does_not_stand_in_for_the_one_below_it(corpus, hebbs):
    corpus.write("a/copy.txt", "The keys hang beside the door.\n")
    hebbs.index()
    (hit,) = hebbs.recall("where are the keys", paths=["notes"])
    assert hit.source.path == "notes/keys.txt"


def test_an_entity_narrows_however_its_name_is_written(hebbs):
    for name in ("acme", "ACME"):
        assert contents(hebbs.recall("the offer", entity=name)) == ["The offer expires in May."]
    assert hebbs.recall("the offer", entity="nobody") == ()


def test_copies_of_a_text_take_one_place_and_hide_nothing_else(corpus, hebbs):
    for number in range(8):
        corpus.write(f"copies/{number}.txt", "The keys hang beside the door.\n")
    hebbs.index()
    hits = hebbs.recall("the keys hang beside the door", k=3)
    assert len(hits) == 3
    assert len(set(contents(hits))) == 3


def test_k_is_the_number_of_answers_and_the_best_ones(hebbs):
    every = hebbs.recall("the archive", k=3)
    assert hebbs.recall("the archive", k=1) == every[:1]
    with pytest.raises(InputError, match="at least 1"):
        hebbs.recall("the archive", k=0)


def test_an_empty_question_is_refused(hebbs):
    with pytest.raises(InputError, match="empty"):
        hebbs.recall(" \n")


def test_an_answer_behind_superseded_ones_still_comes(corpus, hebbs):
    corpus.write("old.md", "The tenant budget is $5,000.\n")
    corpus.write("new.md", "The tenant budget is $2,000.\n")
    hebbs.index()
    (pair,) = hebbs.contradiction_prepare()
    hebbs.contradiction_commit([Verdict(pair.pending_id, "revision")])
    (hit,) = hebbs.recall("the tenant budget", k=1)
    assert hit.superseded_by == ()
    assert len(hebbs.recall("the tenant budget", k=2, include_superseded=True)) == 2


@pytest.mark.model
def test_meaning_finds_what_no_word_of_the_question_names(corpus, embedder):
    from hebbs_index.index import Hebbs

    corpus.write("a.md", "The invoice must be paid within thirty days.\n")
    corpus.write("b.md", "The cat sleeps on the window sill.\n")
    flags = {"language.enabled": False}
    with Hebbs.open(corpus.root, root=corpus.root, create=True, overrides=flags) as hebbs:
        hebbs.index()
        assert hebbs.recall("deadline for settling bills")[0].source.path == "a.md"
