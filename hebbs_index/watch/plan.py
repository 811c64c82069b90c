"""Decide what an update must do, without doing any of it.

`plan_changes` compares files as they are now with the manifest. It reads and writes
nothing, so that the same two inputs give the same plan. Every path ends in exactly one
kind of change; a file that exists but cannot be read is `unreadable`, never deleted.

A file that vanished and one that appeared are one file that moved if their bytes are
equal, or if enough of their lines are. Two paths that both still exist never are a move,
whatever they exchanged.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from hebbs_index.records import Indexed, Plan, Seen
from hebbs_index.watch.scan import SKETCH_SIZE, is_within, narrow

_Key = Callable[[str], Hashable]

SAME_INODE = 0.3  # least share of lines that an edited file keeps under a new name
ANOTHER_INODE = 0.6  # and least share if the file was written anew
COMMON = 64  # a line that more vanished files share says nothing about which of them moved


def plan_changes(
    files: Mapping[str, Seen],
    manifest: Mapping[str, Indexed],
    *,
    version: str,
    within: Sequence[str] = (),
) -> Plan:
    """Sort every known path into exactly one kind of change.

    `files` is what a scan of the same `within` saw; `version` that of the analysis, whose
    change makes every file `modified`. A moved file that must be analyzed again, for its
    text or for the version, is `rewritten`. Whether so many deletions are to be believed is
    not decided here.
    """
    scope = narrow(within)
    known = {p: row for p, row in manifest.items() if not scope or is_within(p, scope)}
    unreadable = {path for path, seen in files.items() if seen.content_hash is None}
    fresh = files.keys() - known.keys() - unreadable
    gone = known.keys() - files.keys()
    moved = find_moves({p: known[p] for p in gone}, {p: files[p] for p in fresh})
    changes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(files.keys() & known.keys() - unreadable):
        changes[_kind(files[path], known[path], version)].append(path)
    return Plan(
        added=tuple(sorted(fresh - moved.keys())),
        modified=tuple(changes["modified"]),
        moved=moved,
        rewritten=frozenset(
            new for new, old in moved.items() if _is_modified(files[new], known[old], version)
        ),
        deleted=tuple(sorted(gone - set(moved.values()))),
        unchanged=tuple(changes["unchanged"]),
        touched=tuple(changes["touched"]),
        unreadable=tuple(sorted(unreadable)),
    )


def _is_modified(seen: Seen, row: Indexed, version: str) -> bool:
    return seen.content_hash != row.content_hash or row.version != version


def _kind(seen: Seen, row: Indexed, version: str) -> str:
    if _is_modified(seen, row, version):
        return "modified"
    return "touched" if seen.read or seen.stat != row.stat else "unchanged"


# ---------------------------------------------------------------------------
# Moves
# ---------------------------------------------------------------------------


def find_moves(gone: Mapping[str, Indexed], fresh: Mapping[str, Seen]) -> dict[str, str]:
    """Which of the files that appeared are files that vanished: new path to old path."""
    moved = _same_bytes(gone, fresh)
    taken = set(moved.values())
    left = {path: row for path, row in gone.items() if path not in taken}
    rest = {path: seen for path, seen in fresh.items() if path not in moved}
    moved |= _similar(left, rest)
    return dict(sorted(moved.items()))


def _same_bytes(gone: Mapping[str, Indexed], fresh: Mapping[str, Seen]) -> dict[str, str]:
    """Pair equal contents: those of one inode first, then of one name, then in order.

    Files that are empty or blank are all alike: order is no evidence for them.
    """
    moved: dict[str, str] = {}
    rounds: tuple[tuple[_Key, _Key], ...] = (
        (lambda old: _inode_key(gone[old]), lambda new: _inode_key(fresh[new])),
        (lambda old: _name_key(gone[old]), lambda new: _name_key(fresh[new])),
        (lambda old: _text_key(gone[old]), lambda new: _text_key(fresh[new])),
    )
    for old_key, new_key in rounds:
        taken = set(moved.values())
        waiting: dict[Hashable, deque[str]] = defaultdict(deque)
        for old in sorted(gone.keys() - taken):
            waiting[old_key(old)].append(old)
        for new in sorted(fresh.keys() - moved.keys()):
            key = new_key(new)
            if key is not None and waiting.get(key):
                moved[new] = waiting[key].popleft()
    return moved


def _inode_key(file: Indexed | Seen) -> Hashable:
    return (file.content_hash, file.stat.inode) if file.stat.inode else None


def _name_key(file: Indexed | Seen) -> Hashable:
    return file.content_hash, posixpath.basename(file.path)


def _text_key(file: Indexed | Seen) -> Hashable:
    return file.content_hash if file.sketch else None


def _similar(gone: Mapping[str, Indexed], fresh: Mapping[str, Seen]) -> dict[str, str]:
    """Pair edited files: those of one inode, then those that are each other's best match."""
    moved: dict[str, str] = {}
    by_inode = {row.stat.inode: path for path, row in sorted(gone.items()) if row.stat.inode}
    for new in sorted(fresh):
        old = by_inode.get(fresh[new].stat.inode)
        if old is not None and similarity(gone[old].sketch, fresh[new].sketch) >= SAME_INODE:
            moved[new] = by_inode.pop(fresh[new].stat.inode)
    taken = set(moved.values())
    left = {path: row for path, row in gone.items() if path not in taken}
    rest = {path: seen for path, seen in fresh.items() if path not in moved}
    return moved | _best_matches(left, rest)


def _best_matches(gone: Mapping[str, Indexed], fresh: Mapping[str, Seen]) -> dict[str, str]:
    scores: dict[tuple[str, str], float] = {}
    for new, old in _sharing_lines(gone, fresh):
        score = similarity(gone[old].sketch, fresh[new].sketch)
        if score >= ANOTHER_INODE:
            scores[new, old] = score
    best_old = _unique_best((new, old, score) for (new, old), score in scores.items())
    best_new = _unique_best((old, new, score) for (new, old), score in scores.items())
    return {new: old for new, old in best_old.items() if best_new.get(old) == new}


def _sharing_lines(
    gone: Mapping[str, Indexed], fresh: Mapping[str, Seen]
) -> Iterator[tuple[str, str]]:
    """Pairs (new, old) that share a line which is not everywhere."""
    holders: dict[int, list[str]] = defaultdict(list)
    for path in sorted(gone):
        for line in gone[path].sketch:
            holders[line].append(path)
    for new in sorted(fresh):
        telling = (holders.get(line, []) for line in fresh[new].sketch)
        olds = {old for paths in telling if len(paths) <= COMMON for old in paths}
        for old in sorted(olds):
            yield new, old


def _unique_best(scored: Iterable[tuple[str, str, float]]) -> dict[str, str]:
    """For each first the second with the highest score, unless two share that score."""
    best: dict[str, tuple[float, str | None]] = {}
    for one, other, score in scored:
        held = best.get(one, (0.0, None))
        if score > held[0]:
            best[one] = (score, other)
        elif score == held[0]:
            best[one] = (score, None)
    return {one: other for one, (_score, other) in best.items() if other is not None}


def similarity(a: Sequence[int], b: Sequence[int]) -> float:
    """Estimate from two sketches which share of their lines two files have in common, 0..1."""
    if not a or not b:
        return 0.0
    first, second = set(a), set(b)
    smallest = sorted(first | second)[:SKETCH_SIZE]
    return sum(1 for line in smallest if line in first and line in second) / len(smallest)
