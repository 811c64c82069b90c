"""Bytes to text, without losing a character's place.

The text is decoded strictly and without newline translation, so for every file
`data.decode(encoding)` is the text again and spans can be cut from it. A byte order
mark stays in the text as its first character: the encoding named is `utf-8`,
`utf-16-le` and so on, never one that swallows the mark.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from hebbs_index.records import FileProblem

# Longest marks first: the UTF-32 one begins with the UTF-16 one.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_SIGNATURES = (
    (b"%PDF-", "a PDF file"),
    (b"PK\x03\x04", "a zip archive or office file"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "a database"),
)

# Charsets in real use for text; leaving out the exotic ones keeps a lone accented byte
# from being read as, say, an Indian or an Icelandic Macintosh file.
_PLAUSIBLE = [
    "cp1252",
    "cp1250",
    "cp1251",
    "iso8859_2",
    "iso8859_15",
    "koi8_r",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "mac_roman",
    "shift_jis",
    "euc_jp",
    "euc_kr",
    "gb18030",
    "big5",
]

_GUESS_SAMPLE = 64 * 1024  # bytes that the charset guess looks at
_WESTERN_SHARE = 0.08  # of bytes that are not ASCII; a text in another script has more
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MAX_CONTROL_SHARE = 0.02  # above this share of control characters it is no text


class Unparsable(Exception):
    """A file that cannot be read as a text at all; `problem` says why."""

    def __init__(self, problem: FileProblem) -> None:
        super().__init__(f"{problem.path}: {problem.reason}")
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, the encoding that gives it, and a remark if that was a guess."""

    text: str
    encoding: str
    problem: FileProblem | None = None


def decode(path: str, data: bytes) -> Decoded:
    """Decode a file's bytes.

    Tried in order: a byte order mark, UTF-8, UTF-16 without a mark (told by its zero
    bytes), then the best guess of charset-normalizer, which is named in a problem of
    stage `decode`. Raises `Unparsable` for content that is no text.
    """
    for signature, what in _SIGNATURES:
        if data.startswith(signature):
            raise _unparsable(path, f"not a text: {what}")
    decoded = _decode_marked(path, data) or _decode_utf8(data) or _decode_bare_utf16(data)
    if decoded is None:
        if b"\x00" in data:
            raise _unparsable(path, "not a text: it holds NUL bytes")
        decoded = _guess(path, data)
    _refuse_controls(path, decoded.text)
    return decoded


def _unparsable(path: str, reason: str) -> Unparsable:
    return Unparsable(FileProblem(path, "decode", reason))


def _decode_marked(path: str, data: bytes) -> Decoded | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError as error:
                if encoding == "utf-8":
                    return None  # damaged UTF-8: leave it to the guess
                reason = f"starts with a {encoding} mark but is not {encoding} ({error.reason})"
                raise _unparsable(path, reason) from error
            return Decoded(text, encoding)
    return None


def _decode_utf8(data: bytes) -> Decoded | None:
    if b"\x00" in data:
        return None
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return None


def _decode_bare_utf16(data: bytes) -> Decoded | None:
    """UTF-16 without a mark: nearly every other byte of a Western text is zero."""
    if len(data) < 4 or len(data) % 2:
        return None
    half = len(data) // 2
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros, others = data[first::2].count(0), data[1 - first :: 2].count(0)
        if zeros > 0.6 * half and others < 0.02 * half:
            try:
                return Decoded(data.decode(encoding), encoding)
            except UnicodeDecodeError:
                return None
    return None


def _guess(path: str, data: bytes) -> Decoded:
    from charset_normalizer import from_bytes

    sample = data[:_GUESS_SAMPLE]
    best = from_bytes(sample, cp_isolation=_PLAUSIBLE).best()
    names = [best.encoding] if best is not None else []
    if _is_nearly_ascii(data):
        names = ["cp1252", *names]
    for encoding in [*names, "cp1252", "latin-1"]:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        reason = f"not UTF-8; read as {encoding}, which is a guess"
        return Decoded(text, encoding, FileProblem(path, "decode", reason))
    raise _unparsable(path, "not a text in any known character set")


def _is_nearly_ascii(data: bytes) -> bool:
    """Whether only a few bytes are not ASCII: curly quotes and accents of a Western text."""
    ascii_bytes = len(data.decode("ascii", "ignore"))
    return len(data) - ascii_bytes < _WESTERN_SHARE * len(data)


def _refuse_controls(path: str, text: str) -> None:
    controls = len(_CONTROL.findall(text))
    if controls > max(2, _MAX_CONTROL_SHARE * len(text)):
        raise _unparsable(path, f"not a text: {controls} control characters in {len(text)}")
