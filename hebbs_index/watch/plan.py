"""Decide what an update must do, without doing any of it.

`plan_changes` compares the files as they are (a snapshot) with the files as they were
indexed (the manifest). It reads no file and writes no row, so equal inputs give equal
plans, and a plan can be printed, counted and tested.

A file that exists but cannot be read is `unreadable`, never `deleted`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from hebbs_index.records import Indexed, Plan, Seen

SAME_INODE = 0.3  # lines in common that make a file with a known inode the same file, edited
OTHER_INODE = 0.6  # and without that hint

Files = Mapping[str, Seen]
Manifest = Mapping[str, Indexed]


def plan_changes(
    files: Files, manifest: Manifest, *, version: str, within: Sequence[str] = ()
) -> Plan:
    """Sort every path into exactly one kind of change.

    `version` is that of the analysis now; a file that was analysed by another one is modified.
    `within` are the paths that the scan was narrowed to: what lies elsewhere is unchanged.
    """
    looked_at = [path for path in manifest if _in_reach(path, within)]
    unreadable = [path for path, seen in files.items() if seen.content_hash is None]
    gone = [path for path in looked_at if path not in files]
    fresh = [p for p, seen in files.items() if seen.content_hash is not None and p not in manifest]
    moved = match_moves(gone, fresh, files, manifest)
    came_from = set(moved.values())
    modified, touched, unchanged = _sort_shared(files, manifest, version)
    return Plan(
        added=tuple(sorted(set(fresh) - moved.keys())),
        modified=tuple(modified),
        moved=dict(sorted(moved.items())),
        rewritten=frozenset(
            new
            for new, old in moved.items()
            if files[new].content_hash != manifest[old].content_hash
            or manifest[old].version != version
        ),
        deleted=tuple(sorted(set(gone) - came_from)),
        unchanged=tuple(unchanged),
        touched=tuple(touched),
        unreadable=tuple(sorted(unreadable)),
    )


def _in_reach(path: str, within: Sequence[str]) -> bool:
    return not within or any(
        not place or place == "." or path == place or path.startswith(f"{place}/")
        for place in within
    )


def _sort_shared(
    files: Files, manifest: Manifest, version: str
) -> tuple[list[str], list[str], list[str]]:
    """Sort paths that are known and could be read into modified, touched and unchanged."""
    modified: list[str] = []
    touched: list[str] = []
    unchanged: list[str] = []
    for path in sorted(files):
        seen, row = files[path], manifest.get(path)
        if row is None or seen.content_hash is None:
            continue
        if seen.content_hash != row.content_hash or row.version != version:
            modified.append(path)
        elif seen.stat != row.stat or seen.read_at_ns != row.read_at_ns:
            touched.append(path)
        else:
            unchanged.append(path)
    return modified, touched, unchanged


# ---------------------------------------------------------------- moves


def match_moves(
    gone: Iterable[str], fresh: Iterable[str], files: Files, manifest: Manifest
) -> dict[str, str]:
    """Pair paths that came with paths that went and hold the same file; new path -> old path.

    Equal content counts first, then what is left with its inode and part of its lines, and
    last what shares most of its lines with one lost file alone.
    """
    lost, new = sorted(gone), sorted(fresh)
    moved: dict[str, str] = {}
    _pair(lost, new, moved, lambda o, n: _equal_rank(o, n, files, manifest))
    _pair(lost, new, moved, lambda o, n: _kept_inode_rank(o, n, files, manifest))
    _pair_unique(lost, new, moved, files, manifest)
    return moved


def _pair(
    lost: list[str],
    new: list[str],
    moved: dict[str, str],
    rank: Callable[[str, str], tuple[int, ...] | None],
) -> None:
    """Pair greedily by rank, highest first; ties by path, so that the result is one."""
    ranked = [
        (tuple(-part for part in score), old, path)
        for old in lost
        for path in new
        if (score := rank(old, path)) is not None
    ]
    for _score, old, path in sorted(ranked):
        if old in lost and path in new:
            moved[path] = old
            lost.remove(old)
            new.remove(path)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _equal_rank(old: str, new: str, files: Files, manifest: Manifest) -> tuple[int, ...] | None:
    """Same content: same inode ranks before same name. Too little content needs one of them."""
    before, now = manifest[old], files[new]
    if before.content_hash != now.content_hash:
        return None
    same_inode = before.stat.inode == now.stat.inode and before.stat.inode != 0
    same_name = _name(old) == _name(new)
    if not before.sketch and not (same_inode or same_name):
        return None
    return int(same_inode), int(same_name)


def _kept_inode_rank(
    old: str, new: str, files: Files, manifest: Manifest
) -> tuple[int, ...] | None:
    """An inode alone proves nothing: file systems give it to the next file at once."""
    before, now = manifest[old], files[new]
    if before.stat.inode != now.stat.inode or before.stat.inode == 0:
        return None
    common = resemblance(before.sketch, now.sketch)
    return (int(common * 1000),) if common >= SAME_INODE else None


def _pair_unique(
    lost: list[str], new: list[str], moved: dict[str, str], files: Files, manifest: Manifest
) -> None:
    """Pair an edited file that moved, if it resembles one lost file and no other."""
    by_line: dict[int, list[str]] = {}
    for old in lost:
        for line in manifest[old].sketch:
            by_line.setdefault(line, []).append(old)
    for path in list(new):
        near = {old for line in files[path].sketch for old in by_line.get(line, ()) if old in lost}
        alike = [
            old
            for old in sorted(near)
            if resemblance(manifest[old].sketch, files[path].sketch) >= OTHER_INODE
        ]
        if len(alike) == 1:
            moved[path] = alike[0]
            lost.remove(alike[0])
            new.remove(path)


def resemblance(first: Sequence[int], second: Sequence[int]) -> float:
    """Estimated Jaccard similarity of two files' lines from their bottom-k sketches."""
    if not first or not second:
        return 0.0
    size = max(len(first), len(second))
    union = sorted({*first, *second})[:size]
    return len(set(union) & set(first) & set(second)) / len(union)
