"""`verify` and `doctor`: is what we hold right, and is this machine able to work."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator

from hebbs_index.config import LanguageConfig
from hebbs_index.reports import Finding, VerifyReport
from hebbs_index.store.locks import read_heartbeat
from hebbs_index.workspace import Workspace


def verify(workspace: Workspace, *, repair: bool) -> VerifyReport:
    """Check the store, its cache and the journals against each other."""
    from hebbs_index.store import VectorCache
    from hebbs_index.store.repair import repair as mend
    from hebbs_index.store.verify import verify as look

    store = workspace.store
    journals = [workspace.verdicts, workspace.memory]
    cache = VectorCache(workspace.state, store)
    findings = look(store, journals, cache=cache)
    if not repair or all(finding.level == "ok" for finding in findings):
        return VerifyReport(tuple(findings))
    with workspace.writing():
        repaired = mend(store, findings, journals=journals, cache=cache)
    return VerifyReport(tuple(look(store, journals, cache=cache)), tuple(repaired))


def doctor(workspace: Workspace) -> tuple[Finding, ...]:
    """Look at the machine and the index; changes nothing."""
    return tuple(_findings(workspace))


def _findings(workspace: Workspace) -> Iterator[Finding]:
    from hebbs_index.layers.embed import model_findings

    yield Finding("python", "ok", sys.version.split()[0])
    yield _full_text()
    yield _language(workspace)
    yield from model_findings(workspace.models.embedding_settings())
    yield _vectors(workspace)
    yield _folder(workspace)
    yield _watcher(workspace)
    for problem in workspace.store.problems():
        yield Finding("file", "note", f"{problem.path}: {problem.stage}: {problem.reason}")


def _full_text() -> Finding:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE probe USING fts5 (text)")
    except sqlite3.OperationalError:
        return Finding(
            "sqlite", "fault", "SQLite has no FTS5", "Use a Python whose sqlite3 has FTS5."
        )
    finally:
        connection.close()
    return Finding("sqlite", "ok", f"{sqlite3.sqlite_version} with FTS5")


def _language(workspace: Workspace) -> Finding:
    if not workspace.models.language_missing():
        return Finding("language model", "ok", workspace.models.language_version())
    wanted = workspace.config.language
    if not wanted.enabled:
        return Finding("language model", "note", "switched off in the configuration")
    return Finding(
        "language model",
        "warning",
        f"{wanted.model} is not installed; clauses and relations are off",
        _language_hint(wanted.model),
    )


def _language_hint(model: str) -> str:
    if model == LanguageConfig().model:
        return "Install it with: pip install 'hebbs-index[models]'"
    return "Install that spaCy pipeline, or name another one as `model` under [language]."


def _vectors(workspace: Workspace) -> Finding:
    made_with = workspace.store.embedding_fingerprint()
    embedder = workspace.models.embedder()
    if embedder is None or made_with is None or made_with == embedder.fingerprint:
        return Finding("vectors", "ok", f"{workspace.store.counts().vectors} vectors of one model")
    return Finding(
        "vectors",
        "warning",
        f"made by another model ({made_with}) than the one configured ({embedder.fingerprint})",
        "Run `hebbs index`: it embeds everything anew and never mixes the two.",
    )


def _folder(workspace: Workspace) -> Finding:
    if not workspace.root.is_dir():
        return Finding("folder", "fault", f"{workspace.root} is not there", "Mount or restore it.")
    return Finding("folder", "ok", str(workspace.root))


def _watcher(workspace: Workspace) -> Finding:
    beat = read_heartbeat(workspace.state)
    if beat is None:
        return Finding("watcher", "note", "no watcher runs on this index")
    return Finding("watcher", "ok", f"process {beat.get('pid')} on {beat.get('host')}")
