"""Small faults that could be planted in a module: where, what, and the changed text.

Each fault is one edit of the source text, so its diff reads like a slip of the hand: a
flipped comparison, a lost `not`, a number off by one, two arguments in the wrong order, a
statement that is gone, a changed condition in a piece of SQL. Places where an edit
cannot matter (docstrings, annotations, decorators, error messages) are left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
}
SQL = re.compile(r"\b(SELECT|UPDATE|DELETE|INSERT)\b")
SQL_EDITS = (
    (" AND ", " OR "),
    ("IS NOT NULL", "IS NULL"),
    (" DESC", " ASC"),
    (" = ?", " <> ?"),
    (" >= ", " > "),
    (" > ", " >= "),
    (" < ", " <= "),
    (" IN (", " NOT IN ("),
    ("LEFT JOIN", "JOIN"),
    ("EXISTS (", "NOT EXISTS ("),
    ("max(", "min("),
)
# Keyword arguments whose value seldom shows in what a program does.
INERT_KEYWORDS = frozenset({"strict", "frozen", "slots", "hint", "daemon", "ensure_ascii"})


@dataclass(frozen=True, slots=True)
class Fault:
    """One edit: bytes `start` to `end` of a module become `text`."""

    line: int
    start: int
    end: int
    text: str
    what: str

    def plant(self, source: str) -> str:
        """Give the module's text with the fault in it."""
        data = source.encode()
        return (data[: self.start] + self.text.encode() + data[self.end :]).decode()


def faults_in(source: str) -> list[Fault]:
    """Find every fault that can be planted in a module, in the order of its text."""
    found = [fault for fault in _Finder(source).find() if _still_python(fault.plant(source))]
    return sorted(found, key=lambda fault: (fault.start, fault.what))


def _still_python(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


class _Finder:
    """Walks a module and turns nodes into faults."""

    def __init__(self, source: str) -> None:
        self._data = source.encode()
        self._tree = ast.parse(source)
        self._lines = [0]
        for line in self._data.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def find(self) -> Iterator[Fault]:
        yield from self._visit(self._tree)

    def _visit(self, node: ast.AST) -> Iterator[Fault]:
        yield from self._faults_of(node)
        for child in _children_that_matter(node):
            yield from self._visit(child)

    def _faults_of(self, node: ast.AST) -> Iterator[Fault]:
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                old, new = COMPARISONS[type(operator)]
                yield from self._between(left, right, old, new, "flipped comparison")
            case ast.BoolOp(op=operator, values=[first, second, *_]):
                old, new = ("and", "or") if isinstance(operator, ast.And) else ("or", "and")
                yield from self._between(first, second, old, new, f"`{old}` became `{new}`")
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operator, right=right):
                old, new = (r"\+", "-") if isinstance(operator, ast.Add) else ("-", "+")
                yield from self._between(left, right, old, new, "other sign")
            case ast.UnaryOp(op=ast.Not()):
                start = self._start(node)
                yield self._fault(node, start, start + len("not "), "", "lost `not`")
            case ast.If(test=test) | ast.IfExp(test=test):
                yield self._replace(test, f"not ({self._text(test)})", "inverted condition")
            case ast.Constant(value=bool() | int() | float() as value):
                yield self._replace(node, _other_number(value), "changed constant")
            case ast.Constant(value=str() as text) if SQL.search(text):
                yield from self._sql(node)
            case ast.JoinedStr() if SQL.search(self._text(node)):
                yield from self._sql(node)
            case ast.Call(args=[first, second, *_]) if _can_swap(first, second):
                yield self._swap(first, second)
            case ast.Expr(value=ast.Call()) | ast.AugAssign():
                yield self._replace(node, "pass", "removed statement")
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield self._replace(node, "pass", "removed statement")

    def _between(
        self, left: ast.expr, right: ast.expr, old: str, new: str, what: str
    ) -> Iterator[Fault]:
        """Replace an operator, which stands between two operands and has no place of its own."""
        start, end = self._end(left), self._start(right)
        pattern = rf"\b{old}\b" if old[0].isalpha() else old
        changed, count = re.subn(pattern, new, self._data[start:end].decode(), count=1)
        if count:
            yield self._fault(left, start, end, changed, what)

    def _sql(self, node: ast.expr) -> Iterator[Fault]:
        text = self._text(node)
        for old, new in SQL_EDITS:
            for place in re.finditer(re.escape(old), text):
                changed = text[: place.start()] + new + text[place.end() :]
                yield self._replace(node, changed, f"SQL `{old.strip()}` became `{new.strip()}`")

    def _swap(self, first: ast.expr, second: ast.expr) -> Fault:
        start, end = self._start(first), self._end(second)
        middle = self._data[self._end(first) : self._start(second)].decode()
        text = f"{self._text(second)}{middle}{self._text(first)}"
        return self._fault(first, start, end, text, "swapped arguments")

    def _replace(self, node: ast.expr | ast.stmt, text: str, what: str) -> Fault:
        return self._fault(node, self._start(node), self._end(node), text, what)

    def _fault(
        self, node: ast.expr | ast.stmt, start: int, end: int, text: str, what: str
    ) -> Fault:
        return Fault(node.lineno, start, end, text, what)

    def _text(self, node: ast.expr) -> str:
        return self._data[self._start(node) : self._end(node)].decode()

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        line, column = node.end_lineno, node.end_col_offset
        if line is None or column is None:
            raise ValueError("a node without an end")
        return self._lines[line - 1] + column


def _other_number(value: bool | int | float) -> str:
    if isinstance(value, bool):
        return str(not value)
    return str(value + 1) if isinstance(value, int) else str(value * 2 or 1.0)


def _can_swap(first: ast.expr, second: ast.expr) -> bool:
    simple = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant)
    both = isinstance(first, simple) and isinstance(second, simple)
    return both and ast.dump(first) != ast.dump(second)


def _children_that_matter(node: ast.AST) -> Iterator[ast.AST]:
    """Children of a node without docstrings, annotations, decorators and error messages."""
    skipped: set[int] = set()
    match node:
        case ast.Raise() | ast.Assert() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            skipped.update(map(id, node.decorator_list))
        case ast.keyword(arg=name) if name in INERT_KEYWORDS:
            return
    annotation = getattr(node, "annotation", None) or getattr(node, "returns", None)
    skipped.add(id(annotation))
    for child in ast.iter_child_nodes(node):
        if id(child) not in skipped and not _is_docstring(child):
            yield child


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
