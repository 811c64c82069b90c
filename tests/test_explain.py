"""`why` says how a pair was decided: flagged, ruled, never met, or only typed."""

from __future__ import annotations

import pytest
from doubles import open_small

from hebbs_index.errors import InputError
from hebbs_index.reports import ContradictionVerdictInput as Verdict

A = "The tenant budget is $5,000."
B = "The tenant budget is $2,000."


@pytest.fixture
def hebbs(corpus):
    corpus.write("a.md", f"# Plan\n\n{A}\n\nThe archive closes at noon.\n")
    corpus.write("b.md", f"{B}\n")
    with open_small(corpus.root) as opened:
        opened.index()
        yield opened


def steps(explanation) -> str:
    return "\n".join(explanation.steps)


def test_a_flagged_pair_is_explained_as_it_was_found(hebbs):
    (pair,) = hebbs.contradiction_prepare()
    told = hebbs.why("a.md:3", "b.md:1")
    assert (told.content_a, told.content_b) == (A, B)
    assert {told.memory_id_a, told.memory_id_b} == {pair.memory_id_a, pair.memory_id_b}
    assert (told.state, told.flagged) == ("pending", True)
    assert told.judgement.score == pytest.approx(pair.classifier_score, abs=1e-4)
    assert round(told.similarity, 4) == pair.similarity
    assert set(told.candidate_by) <= {"vector", "slot"} and told.candidate_by
    assert "signal numeric" in steps(told)


def test_the_order_of_the_two_changes_nothing_but_the_sides(hebbs):
    one, other = hebbs.why("a.md:3", "b.md:1"), hebbs.why("b.md:1", "a.md:3")
    assert (one.judgement.label, one.judgement.score) == (
        other.judgement.label,
        other.judgement.score,
    )
    assert (one.state, one.candidate_by) == (other.state, other.candidate_by)


def test_ids_their_beginnings_and_places_mean_the_same(hebbs):
    by_place = hebbs.why("a.md:3", "b.md:1")
    assert hebbs.why(by_place.memory_id_a, by_place.memory_id_b) == by_place
    assert hebbs.why(by_place.memory_id_a[:8], "./b.md:1") == by_place


def test_a_ruled_pair_says_who_ruled_what_and_why(hebbs):
    (pair,) = hebbs.contradiction_prepare()
    hebbs.contradiction_commit(
        [Verdict(pair.pending_id, "dismiss", reasoning="two tenants")], author="ann"
    )
    told = hebbs.why("a.md:3", "b.md:1")
    assert told.state == "ruled"
    assert "ruled a dismiss by ann: two tenants" in steps(told)


def test_a_pair_that_never_met_is_no_candidate(hebbs):
    told = hebbs.why("a.md:5", "b.md:1")
    assert (told.state, told.flagged, told.candidate_by) == ("not a candidate", False, ())
    assert "never meet" in steps(told)


def test_a_pair_that_met_and_agrees_is_not_flagged(corpus, hebbs):
    corpus.write("c.md", f"{A.removesuffix('.')} now.\n")
    hebbs.index()
    told = hebbs.why("a.md:3", "c.md:1")
    assert (told.state, told.flagged) == ("not flagged", False)
    assert "no signal fires" in steps(told)


def test_nearness_counts_only_among_the_nearest(corpus):
    corpus.write("a.md", "\n\n".join(f"Shelf {n} holds the blue books today." for n in range(5)))
    with open_small(corpus.root, **{"contradiction.candidates_k": 1}) as hebbs:
        hebbs.index()
        pairs = [(2 * a + 1, 2 * b + 1) for a in range(5) for b in range(a)]
        told = [hebbs.why(f"a.md:{a}", f"a.md:{b}") for a, b in pairs]
        assert all(one.similarity > 0.5 for one in told)
        by_vector = sum("vector" in one.candidate_by for one in told)
        assert 0 < by_vector <= 5, "each of five has one nearest"


def test_plain_texts_are_judged_as_if_they_were_indexed(hebbs):
    told = hebbs.why(A, B)
    assert (told.state, told.flagged) == ("would be flagged", True)
    assert (told.memory_id_a, told.memory_id_b) == (None, None)
    told = hebbs.why("The archive closes at noon.", "The cat sleeps on the sill.")
    assert (told.state, told.flagged) == ("would not be flagged", False)


def test_a_plain_text_can_be_held_against_an_indexed_one(hebbs):
    told = hebbs.why("a.md:3", "The tenant budget is $7,000.")
    assert (told.state, told.flagged) == ("would be flagged", True)


def test_a_text_that_asserts_nothing_is_said_to(hebbs):
    assert "asserts nothing" in steps(hebbs.why("Is the budget $5,000?", B))


def test_the_same_words_are_never_compared(corpus, hebbs):
    corpus.write("c.md", f"{A}\n")
    hebbs.index()
    told = hebbs.why("a.md:3", "c.md:1")
    assert (told.state, told.flagged) == ("not flagged", False)
    assert "the same words" in steps(told)


def test_a_check_that_is_off_is_said_to_be(corpus):
    corpus.write("a.md", f"{A}\n")
    corpus.write("b.md", f"{B}\n")
    with open_small(corpus.root, **{"contradiction.enabled": False}) as hebbs:
        assert hebbs.index().pending == 0
        told = hebbs.why("a.md:1", "b.md:1")
        assert (told.state, told.flagged) == ("not flagged", False)
        assert "switched off" in steps(told)


def test_what_is_not_checked_yet_is_said_to_be(hebbs):
    store = hebbs._workspace.store
    store.save_check(store.generation(), touched=store.unchecked_statement_ids())
    store.reset_checks("other settings")
    for statement in store.statements():
        store.save_check(store.generation(), touched=[statement.id])
    assert hebbs.why("a.md:3", "b.md:1").state == "not checked yet"


def test_without_the_embedding_model_there_is_no_similarity(corpus):
    with open_small(corpus.root, **{"embedding.enabled": False}) as hebbs:
        hebbs._workspace.models._embedder = None
        told = hebbs.why(A, B)
        assert told.similarity is None
        assert "the embedding model is off" in steps(told)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("a.md", "is a document"),
        ("a.md:1", "no statement stands at a.md:1"),
        ("a.md:99", "no statement stands at a.md:99"),
        ("gone.md:3", "no document is indexed from gone.md"),
        ("gone.md", "no document is indexed from gone.md"),
        ("0123456789abcdef", "no memory has the id"),
        ("  ", "empty"),
    ],
)
def test_a_name_that_names_no_statement_is_refused_and_not_taken_for_a_text(hebbs, given, sentence):
    for pair in ((given, B), (B, given)):
        with pytest.raises(InputError, match=sentence):
            hebbs.why(*pair)


def test_the_id_of_a_document_is_no_statement(hebbs):
    (row,) = hebbs.list_documents(["b.md"])
    with pytest.raises(InputError, match="is a document"):
        hebbs.why(row.document_id, A)


def test_of_several_statements_on_a_line_those_that_disagree_are_taken(corpus, hebbs):
    corpus.write("c.md", f"The archive closes at noon. {B}\n")
    hebbs.index()
    assert hebbs.why("a.md:3", "c.md:1").content_b == B


def test_a_text_with_a_colon_and_a_number_is_a_text(hebbs):
    assert hebbs.why("The ratio is 3:1", "The ratio is 4:1").memory_id_a is None
