"""Full-text search over the propositions, their headings and their documents' titles.

What the user types is never taken as search syntax: every word of it is quoted. A
proposition needs one of the words; the more of them it has, and the rarer they
are, the higher it ranks (BM25).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hebbs_index.store.database import Database
from hebbs_index.store.memories import WITHIN, within

_WORD = re.compile(r"\w+")
_MOST_WORDS = 64  # of a query; a pasted page is no query

# Weights of text, heading and title: a word of the statement itself says most.
_RANK = "bm25(proposition_text, 1.0, 0.5, 0.25)"


def query_words(text: str) -> list[str]:
    """The distinct words of a query, in order."""
    return list(dict.fromkeys(word.casefold() for word in _WORD.findall(text)))[:_MOST_WORDS]


def match_expression(text: str) -> str:
    """An FTS5 query for any word of the text; '' if it has none."""
    return " OR ".join(f'"{word}"' for word in query_words(text))


def search_text(
    database: Database,
    query: str,
    limit: int,
    *,
    paths: Sequence[str] = (),
    entity: str | None = None,
) -> list[tuple[str, float]]:
    """Ids of the best propositions with their rank value, best first; higher is better."""
    expression = match_expression(query)
    if not expression:
        return []
    rows = database.rows(
        f"SELECT proposition.id, -{_RANK} AS score FROM proposition_text"
        " JOIN proposition ON proposition.rowid = proposition_text.rowid"
        " JOIN document ON document.id = proposition.document_id"
        f" WHERE proposition_text MATCH ?3 AND {WITHIN}"
        " ORDER BY score DESC, proposition.id LIMIT ?4",
        (*within(paths, entity), expression, limit),
    )
    return [(str(row[0]), float(row[1])) for row in rows]
