"""The judge, over the real pipeline: kinds that must be flagged, near-misses, and its promises."""

from __future__ import annotations

import random

import pytest
from contradiction_kinds import Pair, conflicts, near_misses
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hebbs_index.contradictions.judge import CAP, flagged, judge
from hebbs_index.contradictions.sides import exchanged, sides
from hebbs_index.layers.analyze import analyze_files
from hebbs_index.layers.claims import claims_of_text
from hebbs_index.layers.nlp import LanguageModel, load_language_model
from hebbs_index.layers.parse import parse
from hebbs_index.records import Claim, FileAnalysis, Judgement, Label, Proposition, Signal

MIN_CONFIDENCE = 0.35
SEEDS = (3, 11, 42)

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def plain() -> LanguageModel:
    return load_language_model(enabled=False)


def statements(nlp: LanguageModel, *documents: str) -> list[tuple[Proposition, ...]]:
    files = [parse(f"{n}.md", text.encode()) for n, text in enumerate(documents)]
    found = []
    for analysis in analyze_files(files, nlp):
        assert isinstance(analysis, FileAnalysis)
        found.append(analysis.propositions)
    return found


def verdict(nlp: LanguageModel, pair: Pair) -> Judgement:
    """The strongest judgement over the statements of two documents."""
    first, second = statements(nlp, pair.first, pair.second)
    judged = [
        judge(a.claims, b.claims, text_a=a.text, text_b=b.text, similarity=None)
        for a in first
        for b in second
    ]
    return max(judged, key=lambda j: (flagged(j, MIN_CONFIDENCE), j.score))


def told(pair: Pair, judgement: Judgement) -> str:
    return f"{pair.kind}/{pair.wording}: {pair.first!r} / {pair.second!r} -> {judgement}"


@pytest.mark.parametrize("seed", SEEDS)
def test_every_kind_is_flagged_in_every_wording_with_its_signal_and_label(nlp, seed):
    wrong = []
    for pair in conflicts(seed):
        found = verdict(nlp, pair)
        signals = {signal.name for signal in found.signals}
        right = (
            flagged(found, MIN_CONFIDENCE)
            and found.label == pair.label
            and pair.signal in signals
            and (not pair.newer or found.supersedes == pair.newer)
        )
        if not right:
            wrong.append(told(pair, found))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_near_miss_is_flagged(nlp, seed):
    wrong = [
        told(pair, found)
        for pair in near_misses(seed)
        if flagged(found := verdict(nlp, pair), MIN_CONFIDENCE)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_statement_disagrees_with_itself(nlp, seed):
    for pair in conflicts(seed):
        for text in (pair.first, pair.second):
            found = verdict(nlp, Pair(pair.kind, pair.wording, text, text))
            assert not flagged(found, MIN_CONFIDENCE), told(pair, found)


@pytest.mark.parametrize("seed", SEEDS)
def test_swapping_the_sides_swaps_spans_and_direction_and_nothing_else(nlp, seed):
    for pair in (*conflicts(seed), *near_misses(seed)):
        first, second = statements(nlp, pair.first, pair.second)
        for a in first:
            for b in second:
                one = judge(a.claims, b.claims, text_a=a.text, text_b=b.text, similarity=None)
                other = judge(b.claims, a.claims, text_a=b.text, text_b=a.text, similarity=None)
                assert (one.label, one.score, one.guards) == (
                    other.label,
                    other.score,
                    other.guards,
                )
                assert list(one.signals) == [exchanged(signal) for signal in other.signals]
                swapped = {"a": "b", "b": "a", None: None}
                assert swapped[one.supersedes] == other.supersedes


@pytest.mark.parametrize(
    ("first", "second", "detail"),
    [
        ("The read cap is 28 users.", "The read cap is 25 users.", "28 / 25"),
        ("The gateway is unreliable.", "The gateway is reliable.", "unreliable / reliable"),
        (
            "The tool is licensed under MIT.",
            "The tool is licensed under Apache-2.0.",
            "license: MIT / Apache-2.0",
        ),
        ("A file section is optional.", "A file section must be present.", "optional / must"),
    ],
)
def test_the_words_of_a_signal_follow_the_sides(nlp, first, second, detail):
    one, other = judge_texts(nlp, first, second), judge_texts(nlp, second, first)

    topic, colon, words = detail.rpartition(": ")
    turned = topic + colon + " / ".join(reversed(words.split(" / ")))
    assert detail in [s.detail for s in one.signals]
    assert turned in [s.detail for s in other.signals]


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=10))
def test_a_signal_exchanged_twice_is_itself_whatever_its_words(one, other, topic):
    signal = Signal("value", (0, 1), (2, 3), sides([(one, other), (other, "x")], topic=topic))

    turned = exchanged(signal)

    assert exchanged(turned) == signal
    assert turned.detail == sides([(other, one), ("x", other)], topic=topic)


def test_spans_point_at_the_differing_words(nlp):
    texts = ("The read cap is 3.3k ops/s.", "The read cap is 9k ops/s.")
    found = judge_texts(nlp, *texts)
    (signal,) = found.signals
    assert texts[0][slice(*signal.span_a)].startswith("3.3k")
    assert texts[1][slice(*signal.span_b)].startswith("9k")


def test_the_score_never_passes_the_cap_and_grows_with_evidence(nlp):
    one = judge_texts(nlp, "The gateway is stable.", "The gateway is unstable.")
    two = judge_texts(nlp, "The gateway is stable and safe.", "The gateway is unstable and unsafe.")
    three = judge_texts(
        nlp,
        "The gateway is stable and serves 300 users.",
        "The gateway is unstable and serves 900 users.",
    )
    assert 0 < one.score <= two.score <= CAP
    assert one.score <= three.score <= CAP


@pytest.mark.parametrize(
    ("older", "newer", "label"),
    [
        ("The attachment limit used to be 50 MB.", "The attachment limit is now 100 MB.", "update"),
        (
            "Before 2.0 the nightly scan was enabled.",
            "Since 2.0 the nightly scan is disabled.",
            "update",
        ),
        ("Alice lives in Oslo.", "Alice used to live in Oslo.", "update"),
        ("The deadline is 3 May 2024.", "The deadline was moved to 9 June 2024.", "update"),
        ("The timeout is 30 seconds.", "The timeout was raised to 90 seconds.", "update"),
    ],
)
def test_wording_that_reports_a_change_makes_an_update_with_a_direction(nlp, older, newer, label):
    found = judge_texts(nlp, older, newer)
    assert (found.label, found.supersedes) == (label, "b")
    assert flagged(found, MIN_CONFIDENCE)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Until 2023 the project supported two releases.", "The project supports one release."),
        ("The exporter requires a token.", "The exporter requires a token except on localhost."),
        ("Guests can read the wiki.", "Admins can edit the wiki."),
        ("The connection timeout is 30 seconds.", "The timeout is 60 seconds."),
        ("Logs are kept for 90 days.", "Metrics are kept for 30 days."),
        ("The start of the range is inclusive.", "The end of the range is exclusive."),
        ("The API allows 250 calls a minute.", "The API allows 5,000 calls an hour."),
        ("It may or may not have a divider.", "It may have a divider."),
    ],
)
def test_both_can_hold(nlp, first, second):
    assert not flagged(judge_texts(nlp, first, second), MIN_CONFIDENCE)


@pytest.mark.parametrize(
    ("first", "second", "signal"),
    [
        ("A file section must be present.", "The file section is optional.", "modality"),
        ("Decision 12 is accepted.", "Decision 12 is proposed.", "status"),
        ("The scan is enabled by default.", "The scan is disabled by default.", "antonym"),
        (
            "The API allows 1000 calls per hour.",
            "Calls to the API are limited to 250 an hour.",
            "numeric",
        ),
        (
            "The 6.0 client reaches end of life on 2024-02-22.",
            "End of life for the 6.0 client: February 22, 2025.",
            "date",
        ),
        (
            "The rule lets 30 requests per second through.",
            "The rule lets 30 requests per 60 seconds through.",
            "numeric",
        ),
        ("Acme is based in Oslo.", "Acme's headquarters is in Madrid.", "value"),
        ("The tool is maintained by Alice.", "The tool is maintained by Bob.", "value"),
    ],
)
def test_further_kinds_that_stored_claims_can_tell(nlp, first, second, signal):
    found = judge_texts(nlp, first, second)
    assert flagged(found, MIN_CONFIDENCE), found
    assert signal in {s.name for s in found.signals}


def doc(title: str, body: str) -> str:
    return f"# {title}\n\n{body}\n"


OWN = [
    (
        "---\ntitle: Parental leave\ncurrent_step: 2\n---\n",
        "---\ntitle: Sick leave\ncurrent_step: 4\n---\n",
    ),
    (
        doc("Reseller terms", "Effective date: 1 May 2023"),
        doc("Partner terms", "Effective date: 9 June 2024"),
    ),
    (doc("Oslo office", "Contact: Dana Reyes"), doc("Madrid office", "Contact: Kim Lund")),
    (
        doc("Storage group", "## Contact\n\n- Slack: #storage"),
        doc("Network group", "## Contact\n\n- Slack: #network"),
    ),
    (
        doc("Ops notes", "## 2024-03-01\n\nNote taker: Dana Reyes"),
        doc("Ops notes", "## 2024-04-01\n\nNote taker: Kim Lund"),
    ),
    (
        "name: Dana Reyes\ninfo:\n\n- employer: Acme\n- slack: dana\n",
        "name: Kim Lund\ninfo:\n\n- employer: Globex\n- slack: kim\n",
    ),
    (
        doc("Storage group", "## Parts\n\n- Contact:\n  - Slack: #blocks\n"),
        doc("Network group", "## Contact\n\n- Slack: #network"),
    ),
    (
        "name: Dana Reyes\ninfo:\n\n- employer: Acme\n\n## Aims\n\nMany.\n",
        "name: Kim Lund\ninfo:\n\n- employer: Globex\n\n## Aims\n\nFew.\n",
    ),
    (
        doc("2021 Annual report: Storage", "Approvers for packages: 17"),
        doc("2022 Annual report: Network", "Approvers for packages: 58"),
    ),
]


@pytest.mark.parametrize(("first", "second"), OWN)
def test_a_field_that_speaks_of_its_own_file_disagrees_with_no_other_file(nlp, first, second):
    found = verdict(nlp, Pair("own", "field", first, second))
    assert not flagged(found, MIN_CONFIDENCE), found


def test_a_field_about_one_thing_disagrees_across_files_of_one_title(nlp):
    pair = [doc("Gateway", f"## Contact\n\n- Slack: #{room}") for room in ("edge", "network")]
    assert flagged(verdict(nlp, Pair("own", "field", *pair)), MIN_CONFIDENCE)


def test_rows_of_one_table_that_begin_alike_do_not_disagree(nlp):
    rows = "| Vendor | Kept |\n| --- | --- |\n| Acme | 5 minutes |\n| Acme | 90 days |\n"
    (found,) = statements(nlp, doc("Cookies", rows))
    judged = [
        judge(a.claims, b.claims, text_a=a.text, text_b=b.text, similarity=None)
        for a in found
        for b in found
    ]
    assert not any(flagged(one, MIN_CONFIDENCE) for one in judged)


def test_one_row_in_the_tables_of_two_files_of_one_title_disagrees(nlp):
    rows = "| Network | Range |\n| --- | --- |\n| Office | {} |\n| Lab | 10.9.0.0/16 |\n"
    first, second = (doc("Networks", rows.format(f"10.{n}.0.0/16")) for n in (2, 12))
    below = second.replace("# Networks\n", "# Networks\n\nMoved a line down.\n")
    assert flagged(verdict(nlp, Pair("cell", "row", first, below)), MIN_CONFIDENCE)


def test_a_field_that_comes_back_in_a_file_is_of_another_record_each_time(nlp):
    items = "".join(f"- Port {n}\n\n  - Removed in: Lark {n}.0\n" for n in (2, 3, 5))
    (found,) = statements(nlp, doc("Ports", items))
    judged = [
        judge(a.claims, b.claims, text_a=a.text, text_b=b.text, similarity=None)
        for a in found
        for b in found
    ]
    assert not any(flagged(one, MIN_CONFIDENCE) for one in judged)


def test_two_fields_of_one_name_in_a_file_disagree(nlp):
    (found,) = statements(nlp, doc("Gateway", "Read cap: 30 MB\n\nWe hope so.\n\nRead cap: 90 MB"))
    judged = [
        judge(a.claims, b.claims, text_a=a.text, text_b=b.text, similarity=None)
        for a in found
        for b in found
    ]
    assert any(flagged(one, MIN_CONFIDENCE) for one in judged)


def test_an_item_of_a_list_of_cases_holds_in_its_own_case_only(nlp):
    text = "There are two cases:\n\n- The hook is enabled.\n- The hook is disabled.\n"
    found = verdict(nlp, Pair("cases", "list", text, text))
    assert not flagged(found, MIN_CONFIDENCE), found


def test_this_points_at_its_own_section(nlp):
    first = doc("Travel", "This process takes two weeks.")
    second = doc("Hiring", "This process takes six weeks.")
    assert not flagged(verdict(nlp, Pair("here", "prose", first, second)), MIN_CONFIDENCE)
    again = doc("Travel", "This process takes six weeks.")
    assert flagged(verdict(nlp, Pair("here", "prose", first, again)), MIN_CONFIDENCE)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("If you already have a badge", "If you are new and don't have a badge"),
        ("Whether or not the handlers should be installed.", "The handlers are not installed."),
        ("The portal is used to sign forms.", "The portal signs forms."),
        ("Open the Payroll Data 1 tab.", "Open the Payroll Data 2 tab."),
        ("Send it by noon, else it will not be approved.", "It will be approved."),
        ("The vendor shall not be liable, nor have any duty.", "The vendor is not liable."),
        ("Your manager is reliable and fair.", "Your manager is open to feedback."),
        ("The account manager is a member of the team.", "The account manager is in touch."),
        ("12 May 2006: The beta was released.", "3 October 2008: The beta was released."),
        ("Acme does not knowingly collect names.", "Acme collects names."),
        ("The short form does not need an import.", "The short form needs fewer imports."),
        ("A wheel can contain no modules.", "A wheel can contain modules."),
        ("In this case the map is not cached.", "The map is cached."),
        ("Do not use your travel card.", "Use cash for what a travel card buys."),
        ("Portal, what for: Used to sign forms.", "The portal signs forms."),
        ("Up to 3 years: 4 hours of leave.", "Between 4 and 15 years: 6 hours of leave."),
    ],
)
def test_wordings_in_which_both_hold(nlp, first, second):
    assert not flagged(judge_texts(nlp, first, second), MIN_CONFIDENCE)


def test_a_prefix_makes_an_opposite(nlp):
    found = judge_texts(nlp, "The notice is redacted.", "The notice is unredacted.")
    assert flagged(found, MIN_CONFIDENCE)
    assert not flagged(judge_texts(nlp, "A form is sent.", "A uniform is sent."), MIN_CONFIDENCE)


def test_without_a_model_the_plain_kinds_are_still_told_apart(plain):
    hits = [
        ("The budget is $5,000 per tenant.", "The budget is $2,000 per tenant."),
        ("The gateway is reliable.", "The gateway is unreliable."),
        ("The job was delivered on schedule.", "The job was not delivered on schedule."),
        ("The tool is licensed under MIT.", "The tool is licensed under Apache-2.0."),
    ]
    quiet = [
        ("v1 is 10 MB.", "v2 is 50 MB."),
        ("Do not forget to restart the service.", "Restart the service."),
        ("In staging the cap is 3 MB.", "In production the cap is 9 MB."),
        ("The list is non-exhaustive.", "The list is not exhaustive."),
    ]
    assert all(flagged(judge_texts(plain, a, b), MIN_CONFIDENCE) for a, b in hits)
    assert not any(flagged(judge_texts(plain, a, b), MIN_CONFIDENCE) for a, b in quiet)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_judged_and_the_score_stays_in_range(plain, first, second):
    found = judge_texts(plain, first, second)
    assert 0.0 <= found.score <= CAP
    assert isinstance(found.label, Label)


def test_an_empty_side_is_no_disagreement(nlp):
    assert (
        judge((), claims_of_text("A is B.", nlp), text_a="", text_b="A is B.", similarity=0.9).label
        is Label.NONE
    )


def test_judging_does_not_depend_on_what_was_judged_before(nlp):
    pairs = [(p.first, p.second) for p in (*conflicts(5), *near_misses(5))]
    claims = {text: claims_of_text(text, nlp) for pair in pairs for text in pair}

    def run(order: list[tuple[str, str]]) -> dict[tuple[str, str], Judgement]:
        return {(a, b): judged(claims, a, b) for a, b in order}

    shuffled = pairs[:]
    random.Random(1).shuffle(shuffled)
    assert run(pairs) == run(shuffled)


def judged(claims: dict[str, tuple[Claim, ...]], a: str, b: str) -> Judgement:
    return judge(claims[a], claims[b], text_a=a, text_b=b, similarity=None)


def judge_texts(language: LanguageModel, first: str, second: str) -> Judgement:
    a, b = claims_of_text(first, language), claims_of_text(second, language)
    return judge(a, b, text_a=first, text_b=second, similarity=None)
