"""When a batch is due, with a clock that only the test moves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hebbs_index.watch.debounce import Debounce

CALM = 3500  # quiet and settle time together


def test_without_events_nothing_is_due_and_nothing_is_waited_for():
    debounce = Debounce()

    assert debounce.due(10**9) is None and debounce.wait_ms(10**9) is None
    debounce.feed([], 0)
    assert debounce.wait_ms(0) is None and len(debounce) == 0


def test_a_single_save_is_due_once_it_was_quiet_and_settled():
    debounce = Debounce()
    debounce.feed(["a.md"], 1000)

    assert debounce.wait_ms(1500) == CALM - 500
    assert debounce.due(1000 + CALM - 1) is None
    assert debounce.due(1000 + CALM) == {"a.md"}
    assert debounce.due(10**9) is None and len(debounce) == 0


def test_another_event_puts_the_whole_batch_off():
    debounce = Debounce()
    debounce.feed(["a.md"], 0)
    debounce.feed(["b.md"], 3000)

    assert debounce.due(CALM) is None
    assert debounce.due(3000 + CALM) == {"a.md", "b.md"}


def test_more_than_twenty_events_at_once_wait_longer():
    few, many = Debounce(), Debounce()
    few.feed([f"{n}.md" for n in range(20)], 0)
    many.feed([f"{n}.md" for n in range(21)], 0)

    assert few.wait_ms(0) == CALM
    assert many.wait_ms(0) == 10_000


def test_a_burst_may_come_in_pieces_but_slow_edits_are_none():
    burst, slow = Debounce(), Debounce()
    for n in range(21):
        burst.feed([f"{n}.md"], n * 100)
        slow.feed(["a.md"], n * 1000)

    assert burst.wait_ms(2000) == 10_000
    assert slow.wait_ms(20_000) == CALM


def test_after_a_burst_the_next_batch_is_an_ordinary_one():
    debounce = Debounce()
    debounce.feed([f"{n}.md" for n in range(50)], 0)
    assert debounce.due(10_000) is not None

    debounce.feed(["a.md"], 10_100)

    assert debounce.wait_ms(10_100) == CALM


def test_steady_writes_cannot_put_the_work_off_beyond_the_ceiling():
    debounce = Debounce(ceiling_ms=5000)
    released = []
    for now in range(0, 20_000, 100):
        debounce.feed(["log.md"], now)
        if debounce.due(now):
            released.append(now)

    assert released == [5000, 10_100, 15_200]


steps = st.lists(
    st.tuples(st.integers(0, 6000), st.lists(st.sampled_from("abcdefgh"), max_size=30)),
    max_size=40,
)
settings = st.fixed_dictionaries(
    {
        "quiet_ms": st.integers(0, 2000),
        "settle_ms": st.integers(0, 4000),
        "burst_events": st.integers(1, 30),
        "burst_quiet_ms": st.integers(0, 10_000),
        "ceiling_ms": st.integers(1, 20_000),
    }
)


@given(settings, steps)
def test_everything_fed_is_released_once_and_in_time(options, fed):
    debounce = Debounce(**options)
    now, waiting = 0, {}

    def drain(until: int) -> None:
        nonlocal now
        while (wait := debounce.wait_ms(now)) is not None and now + wait <= until:
            now += wait
            batch = debounce.due(now)
            assert batch == waiting.keys()
            assert now <= min(waiting.values()) + options["ceiling_ms"]
            waiting.clear()
        now = until

    for gap, paths in fed:
        drain(now + gap)
        debounce.feed(paths, now)
        for path in paths:
            waiting.setdefault(path, now)
    drain(now + 10**6)

    assert not waiting and debounce.wait_ms(now) is None


@given(settings, steps)
def test_nothing_is_released_while_events_keep_coming_before_the_ceiling(options, fed):
    debounce = Debounce(**options)
    calm = options["quiet_ms"] + options["settle_ms"]
    now = first = last = 0
    for gap, paths in fed:
        now += gap
        if debounce.due(now) is not None:
            assert now - last >= calm or now >= first + options["ceiling_ms"]
        if paths:
            first = now if len(debounce) == 0 else first
            last = now
        debounce.feed(paths, now)
