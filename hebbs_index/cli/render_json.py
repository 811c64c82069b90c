"""Records as JSON: fields in the order the records declare them, which the seeds fixed.

The shapes are an interface that agents read, pinned by `tests/test_cli_json.py`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hebbs_index.reports import UpdateReport


def to_json(value: Any, *, ascii_only: bool = False, indent: int | None = 2) -> str:
    """Write a record, or any nest of them, as JSON text."""
    return json.dumps(plain(value), ensure_ascii=ascii_only, indent=indent, allow_nan=False)


def plain(value: Any) -> Any:
    """Turn records, enums, paths and tuples into what JSON knows."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def update_report(report: UpdateReport) -> dict[str, Any]:
    """An index run: the files by kind of change, then the rest of the report."""
    plan = report.plan
    shape = {
        "dry_run": report.dry_run,
        "added": list(plan.added),
        "changed": list(plan.modified),
        "moved": dict(plan.moved),
        "deleted": list(plan.deleted),
        "unchanged": len(plan.unchanged) + len(plan.touched),
        "unreadable": list(plan.unreadable),
    }
    rest = {
        item.name: getattr(report, item.name)
        for item in dataclasses.fields(report)
        if item.name not in ("plan", "dry_run")
    }
    return shape | rest
