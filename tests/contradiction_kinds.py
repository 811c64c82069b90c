"""Pairs of documents for every kind of disagreement and near-miss, with drawn names and numbers.

A `Pair` is two Markdown documents that say one thing each. Every kind comes as prose, as list item
under a lead-in and as table row. What is drawn never stands in the package.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

PEOPLE = [
    "Alice",
    "Bob",
    "Carol",
    "Dmitri",
    "Elena",
    "Farid",
    "Grace",
    "Hanna",
    "Igor",
    "Julia",
    "Kofi",
    "Laura",
    "Miguel",
    "Nadia",
    "Oscar",
    "Priya",
    "Quentin",
    "Rosa",
    "Stefan",
    "Tara",
]
COMPANIES = [
    "Acme",
    "Globex",
    "Initech",
    "Umbrella",
    "Hooli",
    "Vandelay",
    "Wonka",
    "Stark",
    "Wayne",
    "Tyrell",
    "Cyberdyne",
    "Soylent",
]
CITIES = [
    "Boston",
    "San Francisco",
    "Lisbon",
    "Berlin",
    "Austin",
    "Oslo",
    "Toronto",
    "Dublin",
    "New York",
    "Madrid",
    "Chicago",
    "Vienna",
]
LICENSES = ["MIT", "Apache-2.0", "BSD-3-Clause", "GPL-3.0", "MPL-2.0", "ISC"]
SYSTEMS = [
    "ingest gateway",
    "billing service",
    "search cluster",
    "mail relay",
    "report worker",
    "event router",
]
JOBS = ["nightly export", "payroll run", "data migration", "audit report", "customer import"]
STATES = ["reliable", "stable", "consistent", "efficient", "accurate", "available", "safe"]
OPPOSITES = {
    "reliable": "unreliable",
    "stable": "unstable",
    "consistent": "inconsistent",
    "efficient": "inefficient",
    "accurate": "inaccurate",
    "available": "unavailable",
    "safe": "unsafe",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents and what the check should make of them."""

    kind: str
    wording: str
    first: str
    second: str
    label: str = ""
    signal: str = ""
    newer: str = ""  # the side that supersedes by its wording


def prose(statement: str) -> str:
    """A statement in a paragraph."""
    return f"{statement}\n"


def item(lead: str, statement: str) -> str:
    """A statement as list item under a lead-in."""
    return f"{lead}\n\n- {statement}\n"


def row(subject: str, attribute: str, value: str, *, corner: str = "Name") -> str:
    """A statement as table row."""
    return f"| {corner} | {attribute} |\n| --- | --- |\n| {subject} | {value} |\n"


def conflicts(seed: int) -> Iterator[Pair]:
    """Every kind that must be flagged, in three wordings each."""
    draw = random.Random(seed)
    for kind in (_budget, _holder, _home, _opposite, _schedule, _cap, _license):
        yield from kind(draw)


def near_misses(seed: int) -> Iterator[Pair]:
    """Pairs that look like disagreements and are none."""
    draw = random.Random(seed)
    for kind in NEAR_MISSES:
        yield from kind(draw)


def _two(draw: random.Random, values: list[str] | tuple[str, ...]) -> tuple[str, str]:
    one, other = draw.sample(list(values), 2)
    return one, other


def _triple(
    kind: str, label: str, signal: str, firsts: list[str], seconds: list[str], newer: str = ""
) -> Iterator[Pair]:
    for wording, first, second in zip(("prose", "list", "table"), firsts, seconds, strict=True):
        yield Pair(kind, wording, first, second, label, signal, newer)


def _budget(draw: random.Random) -> Iterator[Pair]:
    one, other = draw.randrange(2, 9) * 1000, draw.randrange(11, 60) * 1000

    def forms(amount: int) -> list[str]:
        return [
            prose(f"The budget is ${amount:,} per tenant."),
            item("What we agreed with finance:", f"the budget per tenant is ${amount:,}"),
            row("Budget per tenant", "Amount", f"${amount:,}", corner="Item"),
        ]

    yield from _triple("budget", "conflict", "numeric", forms(one), forms(other))


def _holder(draw: random.Random) -> Iterator[Pair]:
    company = draw.choice(COMPANIES)
    one, other = _two(draw, PEOPLE)
    firsts = [
        prose(f"{one} is the CEO of {company}."),
        item(f"Who is who at {company}:", f"The CEO is {one}."),
        row(company, "CEO", one, corner="Company"),
    ]
    seconds = [
        prose(f"{company}'s CEO is {other}."),
        item(f"Who is who at {company}:", f"The CEO is {other}."),
        row(company, "CEO", other, corner="Company"),
    ]
    yield from _triple("holder", "conflict", "value", firsts, seconds)


def _home(draw: random.Random) -> Iterator[Pair]:
    person = draw.choice(PEOPLE)
    one, other = _two(draw, CITIES)
    firsts = [
        prose(f"{person} lives in {one}."),
        item("About our customer:", f"{person} lives in {one}."),
        row(person, "Lives in", one, corner="Person"),
    ]
    seconds = [
        prose(f"{person} just moved to {other}."),
        item("About our customer:", f"{person} just moved to {other}."),
        prose(f"{person} has moved to {other}."),
    ]
    yield from _triple("home", "update", "value", firsts, seconds, newer="b")


def _opposite(draw: random.Random) -> Iterator[Pair]:
    system = draw.choice(SYSTEMS)
    one, other = draw.sample(STATES, 2)

    def forms(first: str, second: str) -> list[str]:
        return [
            prose(f"The {system} is {first} and {second}."),
            item(
                "After a month in production we can say:", f"The {system} is {first} and {second}."
            ),
            row(system, "Verdict", f"{first} and {second}", corner="System"),
        ]

    yield from _triple(
        "opposite",
        "conflict",
        "antonym",
        forms(one, other),
        forms(OPPOSITES[one], OPPOSITES[other]),
    )


def _schedule(draw: random.Random) -> Iterator[Pair]:
    job, company = draw.choice(JOBS), draw.choice(COMPANIES)
    denials = [
        ("prose", f"{company} didn't deliver the {job} on schedule."),
        ("curly", f"{company} didn’t deliver the {job} on schedule."),
        ("failed", f"{company} failed to deliver the {job} on schedule."),
        ("unable", f"{company} was unable to deliver the {job} on schedule."),
        ("never", f"{company} never delivered the {job} on schedule."),
    ]
    for wording, denial in denials:
        yield Pair(
            "schedule",
            wording,
            prose(f"{company} delivered the {job} on schedule."),
            prose(denial),
            "conflict",
            "negation",
        )
    yield Pair(
        "schedule",
        "stopped",
        prose(f"{company} delivers the {job} on schedule."),
        prose(f"{company} stopped delivering the {job} on schedule."),
        "conflict",
        "negation",
    )
    yield Pair(
        "schedule",
        "missed",
        prose(f"{company} met the deadline of the {job}."),
        prose(f"{company} missed the deadline of the {job}."),
        "conflict",
        "negation",
    )
    lead = "Findings of the review:"
    yield Pair(
        "schedule",
        "list",
        item(lead, f"The {job} was delivered on schedule."),
        item(lead, f"The {job} was not delivered on schedule."),
        "conflict",
        "negation",
    )
    yield Pair(
        "schedule",
        "table",
        row(job, "Outcome", "delivered on schedule", corner="Job"),
        row(job, "Outcome", "not delivered on schedule", corner="Job"),
        "conflict",
        "negation",
    )


def _cap(draw: random.Random) -> Iterator[Pair]:
    one, other = f"{draw.randrange(11, 49) / 10}k", f"{draw.randrange(6, 40)}k"

    def forms(rate: str) -> list[str]:
        return [
            prose(f"The read cap is {rate} ops/s."),
            item("Limits of the store:", f"The read cap is {rate} ops/s."),
            row("Read cap", "Value", f"{rate} ops/s", corner="Limit"),
        ]

    yield from _triple("cap", "conflict", "numeric", forms(one), forms(other))


def _license(draw: random.Random) -> Iterator[Pair]:
    one, other = _two(draw, LICENSES)
    system = draw.choice(SYSTEMS)
    firsts = [
        prose(f"The {system} is licensed under {one}."),
        item("Legal notes:", f"The {system} is licensed under {one}."),
        row(f"The {system}", "Licence", one, corner="Component"),
    ]
    seconds = [
        prose(f"The {system} is licensed under {other}."),
        item("Legal notes:", f"The {system} is released under {other}."),
        row(f"The {system}", "License", other, corner="Component"),
    ]
    yield from _triple("license", "conflict", "value", firsts, seconds)


# -- near-misses -------------------------------------------------------------


def _near(kind: str, *pairs: tuple[str, str]) -> Iterator[Pair]:
    for number, (first, second) in enumerate(pairs):
        yield Pair(kind, str(number), first, second)


def _versions(draw: random.Random) -> Iterator[Pair]:
    small, large = draw.randrange(5, 20), draw.randrange(30, 90)
    return _near(
        "version",
        (prose(f"v1 is {small} MB."), prose(f"v2 is {large} MB.")),
        (
            prose(f"In version 1 the upload limit is {small} MB."),
            prose(f"In version 2 the upload limit is {large} MB."),
        ),
        (
            row("v1", "Size", f"{small} MB", corner="Release"),
            row("v2", "Size", f"{large} MB", corner="Release"),
        ),
        (
            prose(f"The upload limit in v1 is {small} MB."),
            prose(f"The upload limit in v2 is {large} MB."),
        ),
    )


def _environments(draw: random.Random) -> Iterator[Pair]:
    small, large = draw.randrange(2, 9), draw.randrange(11, 60)
    return _near(
        "environment",
        (
            prose(f"In staging the timeout is {small} seconds."),
            prose(f"In production the timeout is {large} seconds."),
        ),
        (
            prose(f"The staging cluster has {small} nodes."),
            prose(f"The production cluster has {large} nodes."),
        ),
        (
            row("staging", "Timeout", f"{small} s", corner="Environment"),
            row("production", "Timeout", f"{large} s", corner="Environment"),
        ),
        (
            prose(f"The timeout is {large} seconds."),
            prose(f"In staging the timeout is {small} seconds."),
        ),
        (
            prose(f"On Windows the limit is {small} files."),
            prose(f"On Linux the limit is {large} files."),
        ),
        (
            prose(f"In the free tier logs are kept for {small} days."),
            prose(f"In the paid tier logs are kept for {large} days."),
        ),
    )


def _reminders(draw: random.Random) -> Iterator[Pair]:
    system = draw.choice(SYSTEMS)
    return _near(
        "double negation",
        (prose(f"Do not forget to restart the {system}."), prose(f"Restart the {system}.")),
        (
            item("After the upgrade:", f"Do not forget to restart the {system}."),
            item("After the upgrade:", f"Restart the {system}."),
        ),
        (
            prose(f"Don’t forget to restart the {system} after the upgrade."),
            prose(f"Restart the {system} after the upgrade."),
        ),
        (
            prose(f"The {system} is disabled: false by default."),
            prose(f"The {system} is enabled by default."),
        ),
        (prose(f"The {system} is not unreliable."), prose(f"The {system} is reliable.")),
    )


def _prefixes(draw: random.Random) -> Iterator[Pair]:
    noun = draw.choice(("list", "table", "catalogue"))
    return _near(
        "prefix",
        (
            prose(f"The {noun} of error codes is non-exhaustive."),
            prose(f"The {noun} of error codes is not exhaustive."),
        ),
        (
            prose("The notes know nowhere better than the wiki."),
            prose("The notes are now in the wiki."),
        ),
        (prose("Knowledge is noted in the notebook."), prose("Knowledge is kept in the notebook.")),
        (
            prose("Nowhere else do we keep the notes of the board."),
            prose("We keep the notes of the board in the archive."),
        ),
    )


def _subjects(draw: random.Random) -> Iterator[Pair]:
    one, other = _two(draw, COMPANIES)
    first, second = _two(draw, PEOPLE)
    small, large = draw.randrange(2, 9) * 1000, draw.randrange(11, 60) * 1000
    return _near(
        "other subject",
        (
            prose(f"The budget of tenant {one} is ${small:,}."),
            prose(f"The budget of tenant {other} is ${large:,}."),
        ),
        (prose(f"{one}'s CEO is {first}."), prose(f"{other}'s CEO is {second}.")),
        (
            row(one, "Budget", f"${small:,}", corner="Tenant"),
            row(other, "Budget", f"${large:,}", corner="Tenant"),
        ),
        (row(one, "CEO", first, corner="Company"), row(other, "CEO", second, corner="Company")),
        (
            f"---\nentity_id: {one}\n---\nThe budget is ${small:,}.\n",
            f"---\nentity_id: {other}\n---\nThe budget is ${large:,}.\n",
        ),
        (
            prose("The client object is not safe to share between threads."),
            prose("The settings object is safe to share between threads."),
        ),
        (prose(f"{first} lives in Boston."), prose(f"{second} just moved to Lisbon.")),
    )


def _rewordings(draw: random.Random) -> Iterator[Pair]:
    company, person = draw.choice(COMPANIES), draw.choice(PEOPLE)
    amount = draw.randrange(2, 9) * 1000
    return _near(
        "reworded",
        (prose(f"{person} is the CEO of {company}."), prose(f"{company}'s CEO is {person}.")),
        (
            prose(f"The budget is ${amount:,} per tenant."),
            prose(f"The budget per tenant is {amount} dollars."),
        ),
        (
            prose("The gateway gives up after 60 seconds."),
            prose("The gateway is stopped after one minute."),
        ),
        (prose("Backups are kept for 90 days."), prose("Backups are kept for three months.")),
        (prose("The timeout is 30 seconds."), prose("The timeout is half a minute.")),
        (
            prose(f"The {company} team failed to deliver on time."),
            prose(f"The {company} team didn't deliver on time."),
        ),
        (
            prose("We used to support Internet Explorer."),
            prose("We no longer support Internet Explorer."),
        ),
    )


def _years(draw: random.Random) -> Iterator[Pair]:
    year = draw.randrange(2015, 2027)
    return _near(
        "year",
        (
            prose(f"In {year} the office moved to a new floor."),
            prose(f"The {year} budget was not approved by the board."),
        ),
        (
            prose(f"Revenue grew by 7 percent in {year}."),
            prose(f"The team hired 12 people in {year}."),
        ),
        (prose(f"In {year} we served 40 tenants."), prose(f"In {year - 1} we served 25 tenants.")),
        (prose("Ticket 4711 is closed."), prose("Ticket 4712 is closed.")),
        (prose("The metrics are on port 9090."), prose("The health check is on port 8080.")),
    )


def _bounds(draw: random.Random) -> Iterator[Pair]:
    value = draw.randrange(11, 19)
    return _near(
        "bound",
        (
            prose("The import takes at most 20 minutes."),
            prose(f"The import takes {value} minutes."),
        ),
        (prose("The import takes 10 to 20 minutes."), prose(f"The import takes {value} minutes.")),
        (prose("The cluster has at least 3 nodes."), prose("The cluster has 5 nodes.")),
        (prose("The cluster has about 300 users."), prose("The cluster has 304 users.")),
        (prose("The total cost is 900 euros."), prose("The cost of the licence is 200 euros.")),
    )


def _unasserted(draw: random.Random) -> Iterator[Pair]:
    system = draw.choice(SYSTEMS)
    return _near(
        "unasserted",
        (prose(f"Is the {system} not reliable?"), prose(f"The {system} is reliable.")),
        (prose(f"For example, the {system} is not reliable."), prose(f"The {system} is reliable.")),
        (prose(f"Suppose the {system} is unreliable."), prose(f"The {system} is reliable.")),
        (
            prose(f"The {system} is available unless the region is down."),
            prose(f"The {system} is not available if the region is down."),
        ),
        (
            prose("Members can post messages."),
            prose("Members cannot post messages without approval."),
        ),
    )


NEAR_MISSES: tuple[Callable[[random.Random], Iterator[Pair]], ...] = (
    _versions,
    _environments,
    _reminders,
    _prefixes,
    _subjects,
    _rewordings,
    _years,
    _bounds,
    _unasserted,
)
