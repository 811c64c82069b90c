"""The asynchronous facade gives what the other one gives."""

from __future__ import annotations

import asyncio
import inspect

import pytest
from doubles import open_small

from hebbs_index import AsyncHebbs, Hebbs
from hebbs_index.errors import InputError, NoIndex
from hebbs_index.reports import ContradictionVerdictInput as Verdict


@pytest.fixture
def hebbs(corpus):
    corpus.write("a.md", "The tenant budget is $5,000.\n")
    corpus.write("b.md", "The tenant budget is $2,000.\n")
    return open_small(corpus.root)


def public(kind: type) -> set[str]:
    return {name for name, _value in inspect.getmembers(kind) if not name.startswith("_")}


def test_every_method_of_the_facade_can_be_awaited():
    assert public(Hebbs) - public(AsyncHebbs) == {"within"}
    assert public(AsyncHebbs) - public(Hebbs) == {"notes"}  # an attribute of the other


def test_a_folder_is_indexed_judged_and_asked_without_blocking_the_loop(hebbs):
    async def work() -> None:
        async with AsyncHebbs(hebbs) as ours:
            assert ours.root == hebbs.root and ours.config is hebbs.config and ours.notes == ()
            report = await ours.index()
            (pair,) = await ours.contradiction_prepare()
            assert report.new_pending == (pair,)
            result = await ours.contradiction_commit([Verdict(pair.pending_id, "contradiction")])
            assert result.contradictions_confirmed == 1
            assert [view.state for view in await ours.contradictions()] == ["ruled"]
            assert (await ours.why("a.md:1", "b.md:1")).state == "ruled"
            assert len(await ours.recall("tenant budget", k=2)) == 2
            assert len(await ours.list_documents()) == 2
            assert len(await ours.inspect("a.md")) == 2
            assert (await ours.undo(last=True)).pending_id == pair.pending_id
            assert (await ours.status()).pending == 1
            assert (await ours.rebuild()).pending == 1
            assert (await ours.verify()).healthy
            assert await ours.doctor()

    asyncio.run(work())


def test_many_calls_at_once_answer_as_one_by_one(hebbs):
    async def work() -> None:
        async with AsyncHebbs(hebbs) as ours:
            await ours.index()
            alone = await ours.recall("tenant budget")
            answers = await asyncio.gather(*(ours.recall("tenant budget") for _ in range(8)))
            assert answers == [alone] * 8
            await asyncio.gather(*(ours.index() for _ in range(3)))
            assert (await ours.status()).documents == 2

    asyncio.run(work())


def test_errors_arrive_where_they_are_awaited(hebbs, tmp_path):
    async def work() -> None:
        async with AsyncHebbs(hebbs) as ours:
            with pytest.raises(InputError):
                await ours.recall("")
        (tmp_path / "empty").mkdir()
        with pytest.raises(NoIndex):
            await AsyncHebbs.open(tmp_path / "empty")

    asyncio.run(work())


@pytest.mark.watch
def test_cancelling_a_watch_ends_it_and_its_thread(hebbs):
    async def work() -> None:
        async with AsyncHebbs(hebbs) as ours:
            first = asyncio.Event()
            loop = asyncio.get_running_loop()
            watching = asyncio.create_task(
                ours.watch(
                    on_report=lambda _report: loop.call_soon_threadsafe(first.set),
                    on_note=lambda _note: None,
                )
            )
            await asyncio.wait_for(first.wait(), 20)
            assert (await ours.status()).watcher is not None
            watching.cancel()
            with pytest.raises(asyncio.CancelledError):
                await watching
            assert (await ours.status()).watcher is None

    asyncio.run(work())
