"""Reading verdicts that an agent wrote, and naming everything that is wrong with them.

Input is checked whole before an index is even opened. What is not a list of objects is an
`InputError`; an item with faults is rejected by name, and its faults are all listed.
"""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from hebbs_index.errors import InputError
from hebbs_index.records import VerdictKind
from hebbs_index.reports import ContradictionVerdictInput

VERDICTS = tuple(str(kind) for kind in VerdictKind)
TEXTS = ("pending_id", "verdict", "reasoning", "supersedes", "content", "apply_to")
FIELDS = (*TEXTS, "confidence", "overrule")
REQUIRED = ("pending_id", "verdict")
CHOICES = {"supersedes": ("a", "b"), "apply_to": ("pair", "cluster")}
EXAMPLE = '[{"pending_id": "...", "verdict": "dismiss", "confidence": 0.9, "reasoning": "..."}]'

Faults = list[tuple[str, str]]


def read_argument(argument: str) -> str:
    """Give the text that `--verdicts` means: itself, a file after `@`, or stdin for `-`."""
    try:
        if argument == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        if argument.startswith("@"):
            return Path(argument[1:]).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {argument[1:]}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"the verdicts are not UTF-8 text (byte {error.start})") from error
    return argument


def parse_verdicts(text: str) -> tuple[list[ContradictionVerdictInput], Faults]:
    """Read a JSON list of verdicts into the good ones and the faults of the others.

    Raises InputError if the text is not a JSON list at all.
    """
    items = _load(text)
    if not isinstance(items, list):
        raise InputError(
            f"the verdicts must be a JSON list, not {_kind(items)}", hint=f"Write {EXAMPLE}"
        )
    faults: Faults = []
    good: list[ContradictionVerdictInput] = []
    for number, item in enumerate(items, start=1):
        problems = list(item_problems(item))
        faults += [(_name(item, number), problem) for problem in problems]
        if not problems:
            given = {key: value for key, value in item.items() if value is not None}
            good.append(ContradictionVerdictInput(**given))
    return good, faults


def _load(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(
            f"the verdicts are not valid JSON: {error.msg} "
            f"(line {error.lineno}, column {error.colno})",
            hint=f"Write {EXAMPLE}, or @FILE, or - for stdin.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"the verdicts cannot be read: {error}") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _name(item: Any, number: int) -> str:
    identifier = item.get("pending_id") if isinstance(item, dict) else None
    return identifier if isinstance(identifier, str) and identifier else f"item {number}"


def item_problems(item: Any) -> Iterator[str]:
    """Everything that is wrong with one item, a phrase each."""
    if not isinstance(item, dict):
        yield f"must be an object, not {_kind(item)}"
        return
    yield from (_unknown_field(key) for key in item if key not in FIELDS)
    yield from (f"{key} is missing" for key in REQUIRED if not item.get(key))
    for key in TEXTS:
        if item.get(key) is not None and not isinstance(item[key], str):
            yield f"{key} must be a text, not {_kind(item[key])}"
    yield from _confidence_problems(item.get("confidence"))
    if item.get("overrule") is not None and not isinstance(item["overrule"], bool):
        yield f"overrule must be true or false, not {_kind(item['overrule'])}"
    yield from _choice_problems(item)


def _unknown_field(key: str) -> str:
    near = difflib.get_close_matches(key, FIELDS, n=1)
    meant = f"did you mean {near[0]}?" if near else f"known are {', '.join(FIELDS)}"
    return f"unknown field {key!r}: {meant}"


def _confidence_problems(value: Any) -> Iterator[str]:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        yield f"confidence must be a number, not {_kind(value)}"
    elif not 0 <= value <= 1:  # holds for what is no number and for what no float can hold
        yield f"confidence must be between 0 and 1, not {value}"


def _choice_problems(item: Mapping[str, Any]) -> Iterator[str]:
    verdict = item.get("verdict")
    if isinstance(verdict, str) and verdict and verdict not in VERDICTS:
        near = difflib.get_close_matches(verdict.casefold(), VERDICTS, n=1, cutoff=0.5)
        meant = f"did you mean {near[0]!r}?" if near else f"say {', '.join(VERDICTS)}"
        yield f"unknown verdict {verdict!r}: {meant}"
    for key, allowed in CHOICES.items():
        value = item.get(key)
        if isinstance(value, str) and value not in allowed:
            yield f"{key} must be {' or '.join(allowed)}, not {value!r}"
    for key in ("supersedes", "content"):
        if item.get(key) is not None and verdict in VERDICTS and verdict != VerdictKind.REVISION:
            yield f"{key} belongs to a revision, not to a {verdict}"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {dict: "an object", list: "a list", str: "a text", int: "a number", float: "a number"}
    return kinds.get(type(value), "something else")
