"""An HTML data table while it is read: column headers, and cells that span rows or columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hebbs_index.layers.parse.blocks import Inline

_EMPTY = Inline("", ())
_MAX_COLUMNS = 500

Row = list[tuple[Inline, bool]]  # the cells, and which of them are headers


@dataclass(slots=True)
class Table:
    """Cells are handed in one by one; `rows` gives them with their column headers."""

    lead_in: str
    _rows: list[Row] = field(default_factory=list)
    _spanning: dict[int, tuple[int, Inline, bool]] = field(default_factory=dict)

    def open_row(self) -> None:
        """Begin a row."""
        self._rows.append([])

    def open_cell(self) -> None:
        """Begin a cell."""
        if not self._rows:
            self._rows.append([])
        self._fill_spanned()

    def close_cell(self, inline: Inline, *, is_header: bool, columns: int, rows: int) -> None:
        """End a cell that spans so many columns and rows."""
        row = self._rows[-1]
        for number in range(columns):
            if len(row) >= _MAX_COLUMNS:
                return
            if rows > 1:
                self._spanning[len(row)] = (rows - 1, inline if not number else _EMPTY, is_header)
            row.append((inline if not number else _EMPTY, is_header))

    def _fill_spanned(self) -> None:
        """Put what reaches down from rows above into this row.

        Only a first column is said again, as the label of each row; said anywhere
        else it would stand behind text that comes later in the source.
        """
        row = self._rows[-1]
        while len(row) in self._spanning and len(row) < _MAX_COLUMNS:
            column = len(row)
            left, inline, is_header = self._spanning.pop(column)
            if left > 1:
                self._spanning[column] = (left - 1, inline, is_header)
            row.append((inline if column == 0 else _EMPTY, is_header))

    def rows(self) -> Iterator[list[tuple[str, Inline]]]:
        """The rows as (column header, cell) pairs, header rows left out."""
        headers: list[str] = []
        for number, row in enumerate(self._rows):
            if row and all(is_header for _, is_header in row) and len(row) > 1:
                headers = [cell.text for cell, _ in row]
                continue
            if not headers and number == 0 and not row:
                continue
            names = headers + [""] * (len(row) - len(headers))
            yield [(name, cell) for name, (cell, _) in zip(names, row, strict=False)]
