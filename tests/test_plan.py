"""What an update will do: every path in exactly one kind of change, moves recognised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hebbs_index.records import FileStat, Indexed, Plan, Seen
from hebbs_index.watch.plan import plan_changes, similarity
from hebbs_index.watch.scan import is_within, sketch

TEXT = "\n".join(f"line number {n} of a note" for n in range(20))


def seen(path: str, text: str | None, *, inode: int = 0, read: bool = False, at: int = 1) -> Seen:
    data = (text or "").encode()
    content_hash = None if text is None else f"hash of {text}"
    return Seen(path, FileStat(len(data), at, at, inode), content_hash, at, sketch(data), read=read)


def row(path: str, text: str, *, inode: int = 0, version: str = "1") -> Indexed:
    file = seen(path, text, inode=inode)
    return Indexed(
        path, file.stat, file.content_hash or "", 1, file.sketch, document_id="d", version=version
    )


def plan(files: list[Seen], rows: list[Indexed], **options: object) -> Plan:
    arguments = {"version": "1", **options}
    return plan_changes(
        {file.path: file for file in files},
        {row.path: row for row in rows},
        **arguments,  # type: ignore[arg-type]
    )


def edited(text: str, share: float) -> str:
    """The text with this share of its lines kept and the others written anew."""
    lines = text.split("\n")
    kept = round(len(lines) * share)
    return "\n".join([*lines[:kept], *(f"another {n}" for n in range(len(lines) - kept))])


# ------------------------------------------------------------------ kinds


def test_each_kind_of_change_is_recognised():
    result = plan(
        [
            seen("added.md", "new words"),
            seen("edited.md", "later"),
            seen("same.md", "same"),
            seen("touched.md", "kept", at=9),
            seen("reread.md", "again", read=True),
            seen("locked.md", None),
            seen("locked-new.md", None),
        ],
        [
            row("edited.md", "earlier"),
            row("same.md", "same"),
            row("touched.md", "kept"),
            row("reread.md", "again"),
            row("locked.md", "text"),
            row("gone.md", "old words"),
        ],
    )

    assert result == Plan(
        added=("added.md",),
        modified=("edited.md",),
        deleted=("gone.md",),
        unchanged=("same.md",),
        touched=("reread.md", "touched.md"),
        unreadable=("locked-new.md", "locked.md"),
    )


def test_another_version_of_the_analysis_makes_every_file_modified():
    result = plan([seen("a.md", "x"), seen("b.md", "y")], [row("a.md", "x", version="0")])

    assert result.modified == ("a.md",) and result.added == ("b.md",)


def test_a_narrowed_plan_deletes_nothing_outside_what_was_looked_at():
    rows = [row("a.md", "1"), row("x/b.md", "2"), row("xy/c.md", "3")]

    assert plan([], rows, within=("x",)).deleted == ("x/b.md",)
    assert plan([], rows, within=("x/b.md", "a.md")).deleted == ("a.md", "x/b.md")


def test_files_that_exchange_their_contents_are_modified_not_moved():
    result = plan(
        [seen("a.md", "two", inode=2), seen("b.md", "one", inode=1)],
        [row("a.md", "one", inode=1), row("b.md", "two", inode=2)],
    )

    assert result.modified == ("a.md", "b.md") and not result.moved


# ------------------------------------------------------------------ moves


def test_a_renamed_file_is_a_move():
    result = plan([seen("x/new.md", TEXT)], [row("old.md", TEXT)])

    assert result.moved == {"x/new.md": "old.md"}
    assert not (result.added or result.deleted or result.rewritten)


def test_a_renamed_folder_moves_every_file_to_its_own_new_path():
    names = [f"{n}.md" for n in range(30)]
    result = plan([seen(f"y/{n}", n) for n in names], [row(f"x/{n}", n) for n in names])

    assert result.moved == {f"y/{n}": f"x/{n}" for n in names}


def test_of_equal_files_the_one_of_the_same_inode_moved_then_the_one_of_the_same_name():
    result = plan(
        [seen("y/1.md", TEXT, inode=8), seen("y/b.md", TEXT, inode=9), seen("y/0.md", TEXT)],
        [row("x/a.md", TEXT), row("x/b.md", TEXT), row("x/c.md", TEXT, inode=8)],
    )

    assert result.moved == {"y/1.md": "x/c.md", "y/b.md": "x/b.md", "y/0.md": "x/a.md"}


@pytest.mark.parametrize("blank", ["", " \n\n\t\n"])
def test_blank_files_move_only_by_inode_or_name(blank):
    rows = [row("a.md", blank, inode=5), row("x/b.md", blank), row("c.md", blank)]
    files = [seen("z.md", blank, inode=5), seen("y/b.md", blank), seen("d.md", blank)]

    result = plan(files, rows)

    assert result.moved == {"z.md": "a.md", "y/b.md": "x/b.md"}
    assert result.added == ("d.md",) and result.deleted == ("c.md",)


def test_a_file_moved_and_edited_is_followed_by_its_inode_if_enough_is_left():
    def moved(share: float, inode: int) -> Mapping[str, str]:
        return plan(
            [seen("b.md", edited(TEXT, share), inode=inode)], [row("a.md", TEXT, inode=7)]
        ).moved

    assert moved(0.55, 7) == {"b.md": "a.md"}
    assert not moved(0.55, 8)  # as written anew it shares too little
    assert moved(0.85, 8) == {"b.md": "a.md"}
    assert not moved(0.1, 7)  # an inode is used again


def test_a_moved_file_with_other_text_or_an_old_analysis_is_rewritten():
    result = plan(
        [seen("b.md", edited(TEXT, 0.9)), seen("d.md", "same")],
        [row("a.md", TEXT), row("c.md", "same", version="0")],
    )

    assert result.moved == {"b.md": "a.md", "d.md": "c.md"}
    assert result.rewritten == {"b.md", "d.md"}


def test_two_equally_good_candidates_are_no_evidence_of_a_move():
    one, other = edited(TEXT, 0.9), edited(TEXT, 0.9) + "\n"
    rows = [row("a.md", TEXT), row("b.md", TEXT + "\n")]

    assert not plan([seen("n.md", one)], rows).moved
    assert not plan([seen("n.md", one), seen("m.md", other)], rows[:1]).moved


def test_the_better_of_two_candidates_moved():
    rows = [row("a.md", edited(TEXT, 0.7)), row("b.md", TEXT)]

    assert plan([seen("n.md", TEXT + "\nmore")], rows).moved == {"n.md": "b.md"}


def test_a_copy_beside_its_original_is_added():
    result = plan([seen("a.md", TEXT), seen("b.md", TEXT)], [row("a.md", TEXT)])

    assert result.added == ("b.md",) and not result.moved


def test_a_line_that_every_file_has_ties_no_two_of_them():
    rows = [row(f"x/{n}.md", f"---\nstatus: open\n---\nnumber {n}") for n in range(200)]
    files = [seen(f"y/{n}.md", f"---\nstatus: open\n---\nvalue {n}") for n in range(200)]

    assert not plan(files, rows).moved


# ------------------------------------------------------------------ always

paths = st.sampled_from([f"{folder}{name}.md" for folder in ("", "x/", "y/") for name in "abc"])
bodies = st.sampled_from(["", "one", "two\nlines", TEXT, edited(TEXT, 0.9), edited(TEXT, 0.5)])
inodes = st.integers(0, 4)
manifests = st.dictionaries(paths, st.tuples(bodies, inodes, st.sampled_from("01")))
snapshots = st.dictionaries(paths, st.tuples(st.none() | bodies, inodes, st.booleans()))
scopes = st.sampled_from([(), ("x",), ("x", "a.md"), ("y/a.md",)])


@given(manifests, snapshots, scopes)
def test_every_path_in_scope_has_exactly_one_kind_of_change(known, now, within):
    files = [
        seen(path, text, inode=inode, read=read)
        for path, (text, inode, read) in now.items()
        if not within or is_within(path, within)
    ]
    rows = [row(p, text, inode=inode, version=v) for p, (text, inode, v) in known.items()]

    result = plan(files, rows, within=within)

    kinds = [
        result.added, result.modified, tuple(result.moved), tuple(result.moved.values()),
        result.deleted, result.unchanged, result.touched, result.unreadable,
    ]  # fmt: skip
    everything = [path for kind in kinds for path in kind]
    assert len(everything) == len(set(everything))
    in_scope = {path for path in known if not within or is_within(path, within)}
    assert set(everything) == {file.path for file in files} | in_scope
    assert result.rewritten <= result.moved.keys()
    assert result == plan(files[::-1], rows[::-1], within=within)


@given(manifests)
def test_what_was_just_indexed_needs_nothing(known):
    rows = [row(path, text, inode=inode) for path, (text, inode, _version) in known.items()]
    files = [Seen(r.path, r.stat, r.content_hash, r.read_at_ns, r.sketch) for r in rows]

    result = plan(files, rows)

    assert result == Plan(unchanged=tuple(sorted(known)))


@given(manifests, st.permutations(range(9)))
def test_files_that_only_got_other_names_are_never_deleted_or_added(known, order):
    rows = [
        row(path, text or "x", inode=n + 1) for n, (path, (text, *_)) in enumerate(known.items())
    ]
    files = [
        replace(seen(f"new/{number}.md", "x", inode=r.stat.inode), content_hash=r.content_hash)
        for number, r in zip(order, rows, strict=False)
    ]
    files = [replace(file, sketch=r.sketch) for file, r in zip(files, rows, strict=True)]

    result = plan(files, rows)

    assert {old: new for new, old in result.moved.items()} == {
        r.path: file.path for r, file in zip(rows, files, strict=True)
    }


@given(st.lists(st.text("abcdef\n", max_size=40)), st.lists(st.text("abcdef\n", max_size=40)))
def test_similarity_is_a_symmetric_share(one, other):
    a, b = sketch("\n".join(one).encode()), sketch("\n".join(other).encode())

    assert similarity(a, b) == similarity(b, a)
    assert 0 <= similarity(a, b) <= 1
    assert similarity(a, a) == (1 if a else 0)
