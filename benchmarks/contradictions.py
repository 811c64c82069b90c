"""Measure the judge on labelled pairs, beside the rule that the system started from.

    python benchmarks/contradictions.py DATA_FOLDER [--all] [--rows N] [--show SET]

Each pair of texts is turned into claims and judged as the check would. Flagged means: label
update or conflict at `min_confidence`. J is recall minus the rate of false alarms, so
0 is no skill. The baseline flags a pair when one text has a negation word and the other has
none, when they hold a built-in antonym pair, or when their numbers differ: substrings, no scope.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hebbs_index.contradictions.judge import flagged, judge
from hebbs_index.contradictions.lexicon import builtin_pairs
from hebbs_index.layers.claims import claims_of_doc
from hebbs_index.layers.nlp import load_language_model
from hebbs_index.records import Claim, Judgement

SEVEN = (
    "fever_symmetric",
    "vitaminc_sample",
    "negnli",
    "breaking_nli",
    "conjnli",
    "mnli_sample",
    "prosecco",
)
OTHERS = ("propsegment_nli", "doc_revisions", "docs-issues")
MIN_CONFIDENCE = 0.35
SAMPLE = 300
SEED = 20

Row = Mapping[str, Any]

_NEGATIONS = [
    "not",
    "no longer",
    "never",
    "failed",
    "missed",
    "stopped",
    "unable",
    "cannot",
    "can't",
    "didn't",
    "doesn't",
    "won't",
    "isn't",
    "aren't",
    "wasn't",
    "weren't",
    "shouldn't",
    "unreliable",
    "unsuccessful",
    "inadequate",
    "insufficient",
    "declined",
    "dropped",
    "decreased",
    "reduced",
    "lost",
]


@dataclass(slots=True)
class Tally:
    """Counts of one set for one detector."""

    hits: int = 0
    misses: int = 0
    alarms: int = 0
    quiet: int = 0
    by_kind: Counter[str] = field(default_factory=Counter)

    def add(self, wanted: bool, found: bool) -> None:
        """Count one pair."""
        if wanted:
            self.hits += found
            self.misses += not found
        else:
            self.alarms += found
            self.quiet += not found

    @property
    def recall(self) -> float:
        """Share of the wanted pairs that were flagged."""
        return self.hits / max(1, self.hits + self.misses)

    @property
    def alarm_rate(self) -> float:
        """Share of the other pairs that were flagged."""
        return self.alarms / max(1, self.alarms + self.quiet)

    @property
    def precision(self) -> float:
        """Share of the flagged pairs that were wanted."""
        return self.hits / max(1, self.hits + self.alarms)

    @property
    def skill(self) -> float:
        """J: recall minus false alarms."""
        return self.recall - self.alarm_rate


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line a set and detector, and the means over the seven sets."""
    options = _options(arguments)
    language = load_language_model()
    ours, theirs = {}, {}
    columns = f"{'R':>6}{'FA':>7}{'J':>7}"
    print(f"{'set':18}{'pairs':>6}  {'ours: P':>8}{columns}   {'rule: P':>8}{columns}")
    for name in (*SEVEN, *OTHERS):
        if options.set and name not in options.set:
            continue
        rows = _rows(options.data, name, None if options.all else options.rows)
        ours[name], theirs[name] = _measure(rows, name, language, options.show)
        print(f"{name:18}{len(rows):6}  {_line(ours[name])}   {_line(theirs[name])}")
    _print_means(ours, theirs)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="folder with the labelled sets")
    parser.add_argument("--all", action="store_true", help="every row instead of a sample")
    parser.add_argument("--rows", type=int, default=SAMPLE, help="rows a set")
    parser.add_argument("--set", action="append", help="only this set (may be repeated)")
    parser.add_argument("--show", choices=("alarms", "misses", "hits"), help="print such pairs")
    return parser.parse_args(arguments)


def _rows(data: Path, name: str, limit: int | None) -> list[Row]:
    path = data / f"{name}.jsonl"
    path = path if path.is_file() else data / name / "dev.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    if limit is not None and len(rows) > limit:
        rows = random.Random(SEED).sample(rows, limit)
    return rows


def _measure(
    rows: Sequence[Row], name: str, language: Any, show: str | None
) -> tuple[Tally, Tally]:
    ours, theirs = Tally(), Tally()
    for row, a, b in _with_claims(rows, language):
        judgement = judge(a, b, text_a=row["text_a"], text_b=row["text_b"], similarity=None)
        wanted = _wanted(row, name)
        if wanted is None:
            continue
        found = flagged(judgement, MIN_CONFIDENCE)
        ours.add(wanted, found)
        theirs.add(wanted, seed_rule(row["text_a"], row["text_b"]))
        if show == _outcome(wanted, found):
            _print_pair(row, judgement)
    return ours, theirs


def _wanted(row: Row, name: str) -> bool | None:
    """Whether a pair should be flagged; None leaves it out."""
    if name == "doc_revisions":
        return False if row["phenomenon"] == "coexisting" else None
    if name == "docs-issues":
        return row["label"] in ("contradiction", "revision")
    return bool(row["label"] == "contradiction")


def _outcome(wanted: bool, found: bool) -> str:
    if found:
        return "hits" if wanted else "alarms"
    return "misses" if wanted else "quiet"


def _with_claims(
    rows: Sequence[Row], language: Any
) -> Iterator[tuple[Row, tuple[Claim, ...], tuple[Claim, ...]]]:
    texts = [text for row in rows for text in (row["text_a"], row["text_b"])]
    docs = language.pipe(texts)
    for row, (a, b) in zip(rows, zip(docs, docs, strict=True), strict=True):
        yield row, claims_of_doc(a), claims_of_doc(b)


def seed_rule(first: str, second: str) -> bool:
    """The starting rule: any one of negation asymmetry, an antonym pair, differing numbers."""
    a, b = first.lower(), second.lower()
    negated = [any(word in text for word in _NEGATIONS) for text in (a, b)]
    if negated[0] != negated[1]:
        return True
    if any((x in a and y in b) or (y in a and x in b) for x, y in builtin_pairs()):
        return True
    numbers = [{w for w in text.split() if re.search(r"\d", w)} for text in (a, b)]
    shared = set(a.split()) & set(b.split())
    return bool(numbers[0] and numbers[1]) and not numbers[0] & numbers[1] and len(shared) >= 3


def _print_pair(row: Row, judgement: Judgement) -> None:
    signals = ", ".join(f"{s.name} ({s.detail})" for s in judgement.signals)
    guards = ", ".join(f"{g.name} ({g.detail})" for g in judgement.guards)
    kind = row.get("kind") or row.get("phenomenon")
    print(f"  [{row['label']}; {kind}] {judgement.label} {judgement.score} {signals} | {guards}")
    print(f"    {row['text_a']}\n    {row['text_b']}")


def _line(tally: Tally) -> str:
    return f"{tally.precision:8.2f}{tally.recall:6.2f}{tally.alarm_rate:7.3f}{tally.skill:+7.2f}"


def _print_means(*detectors: Mapping[str, Tally]) -> None:
    for label, tallies in zip(("ours", "rule"), detectors, strict=True):
        seven = [tally for name, tally in tallies.items() if name in SEVEN]
        if seven:
            skill, recall = _mean(t.skill for t in seven), _mean(t.recall for t in seven)
            alarms = _mean(t.alarm_rate for t in seven)
            print(
                f"mean of {len(seven)} sets, {label}: "
                f"J {skill:+.3f}, R {recall:.3f}, false alarms {alarms:.3f}"
            )


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / max(1, len(listed))


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"{time.perf_counter() - start:.0f} s")
