"""What is corpus: git's rules, compared with git itself, and ours on top."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from hebbs_index.watch.ignore import Ignore
from hebbs_index.watch.patterns import PatternList, parse_patterns, translate

ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
# What a line is made of: every construct of git's syntax, broken ones too.
SEGMENTS = [
    "a", "b", "ab", "a.md", "b.md", "*.md", "*", "?", "??", "[ab]", "[!a]", "[^a].md", "[a-b]*",
    "**", "***", "a*", "*b", "a**", "**b", "a**b", "*a*b*", "[[:alpha:]]", "[[:foo:]]", "[[:a]",
    "\\a", "a\\*", "[]a]", "[a\\]b]", "[z-a]", "[a", "[!]]", "[a-]", "[--b]", "*\\*", "a?", "é",
    "?é", "a\\", "a b", "\\ ",
]  # fmt: skip
NAMES = ["a", "b", "ab", "a.md", "b.md", "c.md", "a b", "]", "*", "-", "é", "a\n", "\\"]


@pytest.fixture(scope="session")
def git() -> str:
    found = shutil.which("git")
    if found is None:
        pytest.skip("git is not installed")
    return found


def ignored_by_git(git: str, root: Path, paths: list[str]) -> set[str]:
    done = subprocess.run(
        [git, "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths).encode("utf-8", "surrogateescape"),
        cwd=root,
        env=ENVIRONMENT,
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.decode("utf-8", "surrogateescape").split("\0")) - {""}


def random_line(rng: random.Random) -> str:
    line = "/".join(rng.choice(SEGMENTS) for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4])))
    line = "/" + line if rng.random() < 0.25 else line
    line = line + "/" if rng.random() < 0.3 else line
    line = "!" + line if rng.random() < 0.25 else line
    return line + rng.choice([""] * 12 + [" ", "  ", "\\ ", "\r", "\t", "/"])


def random_tree(rng: random.Random, folder: Path, depth: int = 0) -> list[tuple[Path, bool]]:
    made: list[tuple[Path, bool]] = []
    for name in NAMES:
        if rng.random() < 0.5:
            continue
        path = folder / name
        if "." not in name and depth < 3 and rng.random() < 0.5:
            path.mkdir()
            made += [(path, True), *random_tree(rng, path, depth + 1)]
        else:
            path.write_text("x")
            made.append((path, False))
    return made


@pytest.mark.parametrize("seed", range(12))
def test_generated_trees_are_ignored_as_git_ignores_them(git, tmp_path, seed):
    rng = random.Random(seed)
    subprocess.run([git, "init", "-q", str(tmp_path)], check=True, env=ENVIRONMENT)
    made = random_tree(rng, tmp_path)
    for folder in [tmp_path, *(path for path, is_folder in made if is_folder)]:
        if folder == tmp_path or rng.random() < 0.4:
            lines = "\n".join(random_line(rng) for _ in range(rng.randint(1, 5)))
            (folder / ".gitignore").write_text(lines)
    (tmp_path / ".git" / "info" / "exclude").write_text(random_line(rng))
    paths = {path.relative_to(tmp_path).as_posix(): is_folder for path, is_folder in made}
    ignore = Ignore(tmp_path)

    ours = {path for path, is_folder in paths.items() if ignore.explain(path, is_folder=is_folder)}

    assert ours == ignored_by_git(git, tmp_path, list(paths))


def test_rules_above_the_corpus_count_up_to_the_work_tree(git, tmp_path):
    subprocess.run([git, "init", "-q", str(tmp_path)], check=True, env=ENVIRONMENT)
    root = tmp_path / "docs" / "notes"
    (root / "old").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("/docs/notes/old/\n*.draft.md\n")
    (tmp_path / "docs" / ".gitignore").write_text("!keep.draft.md\n")
    (tmp_path / ".git" / "info" / "exclude").write_text("docs/notes/private.md\n")
    ignore = Ignore(root)
    names = ["old/a.md", "x.draft.md", "keep.draft.md", "private.md", "a.md"]

    ours = {name for name in names if ignore.explain(name)}

    assert ours == {"old/a.md", "x.draft.md", "private.md"}
    in_git = ignored_by_git(git, tmp_path, [f"docs/notes/{name}" for name in names])
    assert in_git == {f"docs/notes/{name}" for name in ours}


def test_a_work_tree_of_its_own_finds_the_shared_exclude(git, tmp_path):
    main, other = tmp_path / "main", tmp_path / "other"
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (
        ["init", "-q", str(main)],
        ["-C", str(main), *identity, "commit", "-q", "--allow-empty", "-m", "first"],
        ["-C", str(main), "worktree", "add", "-q", str(other)],
    ):
        subprocess.run([git, *command], check=True, env=ENVIRONMENT, capture_output=True)
    (main / ".git" / "info" / "exclude").write_text("private.md\n")

    assert Ignore(other).explain("private.md") == ".git/info/exclude, line 1: private.md"
    assert ignored_by_git(git, other, ["private.md", "a.md"]) == {"private.md"}


def test_without_git_its_ignore_files_still_count(corpus):
    corpus.write(".gitignore", "drafts/\n")

    assert Ignore(corpus.root).explain("drafts/a.md") == "drafts/: .gitignore, line 1: drafts/"
    assert Ignore(corpus.root).explain("a.md") is None


def test_nothing_below_an_ignored_folder_comes_back(corpus):
    corpus.write(".gitignore", "drafts/\n!drafts/keep.md\n")
    corpus.write("drafts/.gitignore", "!keep.md\n")

    assert Ignore(corpus.root).explain("drafts/keep.md")


def test_our_own_ignore_file_outranks_git_at_every_level(corpus):
    corpus.write(".gitignore", "*.log.md\n")
    corpus.write("a/.hebbsignore", "!kept.log.md\nsecret.md\n")
    ignore = Ignore(corpus.root)

    assert ignore.explain("a/kept.log.md") is None
    assert ignore.explain("a/other.log.md") == ".gitignore, line 1: *.log.md"
    assert ignore.explain("a/b/secret.md") == "a/.hebbsignore, line 2: secret.md"
    assert ignore.explain("secret.md") is None


def test_exclude_outranks_every_file_and_include_leaves_only_what_matches(corpus):
    corpus.write(".hebbsignore", "!old.md\n")
    ignore = Ignore(corpus.root, exclude=["old.md", "/tmp-*"], include=["docs/", "*.md", "!x.md"])

    assert ignore.explain("old.md") == "exclude, line 1: old.md"
    assert ignore.explain("tmp-1/a.md")
    assert ignore.explain("docs/a.txt") is None
    assert ignore.explain("notes/a.txt") == "no pattern of include matches"
    assert ignore.explain("notes/a.md") is None
    assert ignore.explain("notes/x.md") == "include: !x.md"


@pytest.mark.parametrize(
    "name",
    [
        ".a.md.swp", ".a.md.swo", "a.md.swn", "a.md.swx", "a.md~", "4913", ".#a.md", "#a.md#",
        ".~lock.a.md#", "a.md.tmp", ".goutputstream-AB12.md", "~$a.md", ".hidden.md", ".git",
    ],
)  # fmt: skip
def test_what_editors_leave_behind_and_hidden_files_are_out(corpus, name):
    assert Ignore(corpus.root).explain(name)
    assert Ignore(corpus.root).explain(f"folder/{name}")


@pytest.mark.parametrize("folder", [".git", ".hebbs", ".hg", "node_modules", ".obsidian", "CVS"])
def test_folders_of_tools_are_out(corpus, folder):
    assert Ignore(corpus.root).explain(f"a/{folder}/b.md")


def test_a_rule_that_lets_all_back_in_does_not_let_hidden_files_in(corpus):
    corpus.write(".gitignore", "*\n!*/\n!*.md\n")
    corpus.write("sub/.hebbsignore", "*\n!*/\n!*.md\n")
    ignore = Ignore(corpus.root)

    for folder in ("", "sub/"):
        assert ignore.explain(f"{folder}a.md") is None
        assert ignore.explain(f"{folder}.obsidian/a.md") == f"{folder}.obsidian/: hidden"
        assert ignore.explain(f"{folder}~$a.md")


def test_a_hidden_folder_comes_back_only_by_its_dot_and_tools_never(corpus):
    corpus.write(".hebbsignore", "!.github/\n!.git/\n!.hebbs\n!node_modules\n")
    ignore = Ignore(corpus.root)

    assert ignore.explain(".github/CONTRIBUTING.md") is None
    assert ignore.explain("node_modules/a/README.md") is None
    assert ignore.explain(".git/a.md") and ignore.explain(".hebbs/a.md")


def test_a_changed_ignore_file_is_read_again(corpus):
    ignore = Ignore(corpus.root)
    assert ignore.explain("a.md") is None

    rules = corpus.write(".gitignore", "a.md\n")
    assert ignore.explain("a.md")

    corpus.write(".gitignore", "bbbb\n")
    os.utime(rules, ns=(1, 1))
    assert ignore.explain("a.md") is None

    corpus.delete(".gitignore")
    assert ignore.explain("bbbb") is None


def test_an_ignore_file_that_becomes_unreadable_keeps_its_rules(corpus):
    ignore = Ignore(corpus.root)
    corpus.write(".gitignore", "secret.md\n")
    assert ignore.explain("secret.md")

    corpus.delete(".gitignore")
    corpus.path(".gitignore").mkdir()

    assert ignore.explain("secret.md")
    assert ignore.problems[".gitignore"].reason.startswith("ignore file not used")


def test_a_pipe_in_place_of_an_ignore_file_does_not_block(corpus):
    os.mkfifo(corpus.path(".gitignore"))

    assert Ignore(corpus.root).explain("a.md") is None


def test_names_that_are_not_text_are_matched_as_bytes(corpus):
    corpus.write(".gitignore", b"caf\xe9.md\ntwo?lines.md\n")
    ignore = Ignore(corpus.root)

    assert ignore.explain("caf\udce9.md")
    assert ignore.explain("two\nlines.md")


def test_a_byte_order_mark_and_windows_line_ends_are_passed_over():
    patterns = parse_patterns(b"\xef\xbb\xbfa.md\r\n# note\r\n\r\n\\#b\r\n")

    assert [(p.line, p.body) for p in patterns] == [(1, b"a.md"), (4, b"\\#b")]


@pytest.mark.parametrize("glob", ["*a" * 40 + "b", "**/a/" * 40 + "b", "**/*a*a*a/" * 12 + "b"])
def test_a_hostile_pattern_costs_no_more_than_others(glob):
    patterns = PatternList(parse_patterns(glob.encode()))
    path = b"/".join([b"a" * 60] * 60)
    started = time.perf_counter()

    for name in (b"a" * 250, path):
        patterns.find(name, name.rsplit(b"/", 1)[-1], is_folder=False)

    assert time.perf_counter() - started < 1.0


def test_a_broken_pattern_matches_nothing():
    assert translate(b"[a") == translate(b"a\\") == b"(?!)"
