"""What people read about runs: the summary of an index run, the status, findings, settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from hebbs_index.cli.render import pending_lines
from hebbs_index.cli.text import clean, columns, count, date_of
from hebbs_index.records import FileProblem, Plan
from hebbs_index.reports import Finding, Status, UpdateReport

SHOWN_PENDING = 20  # pairs shown after a run; the rest is counted
SHOWN_PROBLEMS = 50
MODELS = {
    "language": "language model",
    "embedding": "embedding model",
    "embedded_with": "vectors made with",
}
LEVELS = {"ok": "green", "note": "cyan", "warning": "yellow", "fault": "red"}


def update_lines(report: UpdateReport, *, quiet: bool = False) -> Iterator[str]:
    """The summary of a run, then the new pending pairs. Quiet leaves out the summary."""
    if report.dry_run:
        yield from plan_lines(report.plan)
        yield from problem_lines(report.problems)
        return
    if not quiet:
        yield from summary_lines(report)
    yield from problem_lines(report.problems)
    if report.new_pending:
        yield from () if quiet else ("",)
        shown = report.new_pending[:SHOWN_PENDING]
        yield from pending_lines(shown, total=len(report.new_pending))


def summary_lines(report: UpdateReport) -> Iterator[str]:
    """What happened to the files, and how many statements and pairs there are now."""
    yield f"{changes_text(report)} in {report.seconds:.1f} s"
    yield (
        f"{count(report.propositions, 'statement')} in {count(report.documents, 'document')} "
        f"({report.propositions_added:,} new, {report.propositions_removed:,} gone)"
    )
    yield (
        f"{count(len(report.new_pending), 'new possible contradiction')}, "
        f"{report.pending:,} waiting for a verdict"
    )
    if not report.documents and not report.problems:
        yield "nothing to index: no .md, .txt, .rst or .html file that is not hidden or ignored"
    yield from (f"off: {clean(sentence)}" for sentence in report.off)


def changes_text(report: UpdateReport) -> str:
    """Files by kind of change."""
    plan = report.plan
    troubled = len({problem.path for problem in report.problems})
    return (
        f"{count(len(plan.added), 'file')} added, {len(plan.modified):,} changed, "
        f"{len(plan.moved):,} moved, {len(plan.deleted):,} deleted, "
        f"{len(plan.unchanged) + len(plan.touched):,} unchanged, {troubled:,} with problems"
    )


def plan_lines(plan: Plan) -> Iterator[str]:
    """What a run would do, file by file."""
    for verb, paths in (
        ("add", plan.added),
        ("change", plan.modified),
        ("delete", plan.deleted),
        ("keep, unreadable", plan.unreadable),
    ):
        yield from (f"would {verb}  {clean(path)}" for path in paths)
    yield from (f"would move  {clean(old)} -> {clean(new)}" for new, old in plan.moved.items())
    yield f"{count(len(plan.unchanged) + len(plan.touched), 'file')} unchanged"


def problem_lines(problems: Sequence[FileProblem]) -> Iterator[str]:
    """Each file that could not be used, or not wholly, with its reason."""
    for problem in problems[:SHOWN_PROBLEMS]:
        yield f"problem: {clean(problem.path)}: {problem.stage}: {clean(problem.reason)}"
    if len(problems) > SHOWN_PROBLEMS:
        yield f"... and {len(problems) - SHOWN_PROBLEMS:,} more problems: hebbs status --json"


def status_lines(status: Status) -> Iterator[str]:
    """The state of an index."""
    rows = [
        ("root", clean(status.root)),
        ("documents", f"{status.documents:,}"),
        ("statements", f"{status.propositions:,} ({status.statements:,} distinct)"),
        ("vectors", f"{status.vectors:,}"),
        ("entities", f"{status.entities:,}"),
        ("edges", _pairs(status.edges)),
        ("pending", f"{status.pending:,}"),
        ("rulings", _pairs(status.rulings)),
        ("last run", _last_run(status.last_run)),
        ("watcher", _watcher(status.watcher)),
        *((MODELS.get(name, name), clean(state)) for name, state in status.models.items()),
    ]
    yield from columns(rows)
    if status.unchecked:
        yield f"{count(status.unchecked, 'statement')} not checked yet: hebbs index"
    if status.unmatched_rulings:
        unmatched = count(status.unmatched_rulings, "ruling")
        yield f"{unmatched} without a match: hebbs contradictions --state unmatched"
    yield from (f"off: {clean(sentence)}" for sentence in status.off)
    yield from problem_lines(status.problems)


def _pairs(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in numbers.items()) or "none"


def _last_run(run: Mapping[str, Any]) -> str:
    if not run:
        return "never"
    time, seconds = run.get("time"), run.get("seconds")
    shown = date_of(time if isinstance(time, int) else None)
    return f"{shown}, {seconds:.1f} s" if isinstance(seconds, (int, float)) else shown


def _watcher(watcher: Mapping[str, Any] | None) -> str:
    if not watcher:
        return "none"
    said = [f"process {watcher.get('pid', '?')} on {watcher.get('host', '?')}"]
    if isinstance(watcher.get("since"), int | float):
        said.append(f"since {date_of(round(watcher['since'] * 1_000_000))}")
    if watcher.get("state"):
        said.append(str(watcher["state"]))
    if isinstance(watcher.get("updates"), int):
        said.append(count(watcher["updates"], "update"))
    if watcher.get("listening") is False:
        said.append("hears no events")
    if watcher.get("fault"):
        said.append(f"fault: {watcher['fault']}")
    return clean(", ".join(said))


def finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Findings with their level, and what to do about each."""
    for finding in findings:
        level = click.style(f"{finding.level:<7}", fg=LEVELS.get(finding.level))
        yield f"{level}  {finding.name}: {clean(finding.detail)}"
        if finding.hint and finding.level != "ok":
            yield f"         {clean(finding.hint)}"


def setting_lines(settings: Sequence[tuple[str, Any, str]]) -> Iterator[str]:
    """Settings in sections as `hebbs.toml` writes them, each with its origin."""
    from hebbs_index.config_template import toml_value

    rows = [(name, f"= {toml_value(value)}", f"# {origin}") for name, value, origin in settings]
    yield from columns(rows)
