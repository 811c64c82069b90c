"""Bytes become text by a named encoding that gives every character its place."""

from __future__ import annotations

import pytest

from hebbs_index.layers.parse import Unparsable, parse
from hebbs_index.layers.parse.decode import decode

TEXT = "Zoë pays 30 € — “always”.\r\nNext line\rlast 😀\n"


@pytest.mark.parametrize(
    ("codec", "named"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16-le"),
        ("utf-32", "utf-32-le"),
    ],
)
def test_unicode_is_recognised_without_a_guess(codec: str, named: str) -> None:
    data = TEXT.encode(codec)
    decoded = decode("a.txt", data)
    assert (decoded.encoding, decoded.problem) == (named, None)
    assert decoded.text == data.decode(decoded.encoding)
    assert decoded.text.removeprefix("\ufeff") == TEXT


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_told_by_its_zero_bytes(codec: str) -> None:
    assert decode("a.txt", "Some plain words.".encode(codec)).encoding == codec


def test_a_lone_western_byte_is_read_as_cp1252_and_said_to_be_a_guess() -> None:
    data = "The café is open. ".encode("cp1252") * 20
    parsed = parse("notes/a.md", data)
    assert parsed.encoding == "cp1252"
    assert "café" in parsed.blocks[0].text
    problem = parsed.problems[0]
    assert (problem.stage, problem.path) == ("decode", "notes/a.md")
    assert "cp1252" in problem.reason


def test_another_script_is_guessed_too() -> None:
    text = "Сервер слушает порт восемь тысяч восемьдесят. Ключи меняются каждые тридцать дней. "
    decoded = decode("a.txt", (text * 5).encode("cp1251"))
    assert decoded.problem is not None
    assert decoded.text == text * 5


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"%PDF-1.7 ...", "a PDF file"),
        (b"PK\x03\x04" + b"x" * 40, "zip"),
        (b"some\x00thing\x00binary", "NUL"),
        (b"\x01\x02\x03\x04\x05\x06\x07" * 9, "control characters"),
        (b"\xff\xfe\x00\xd8", "utf-16-le"),
    ],
)
def test_what_is_no_text_is_refused_with_the_reason(data: bytes, words: str) -> None:
    with pytest.raises(Unparsable) as caught:
        decode("a.md", data)
    assert words in caught.value.problem.reason
    assert caught.value.problem.stage == "decode"


def test_colour_codes_of_a_terminal_do_not_make_a_text_binary() -> None:
    assert decode("a.txt", b"\x1b[31mred\x1b[0m words\x0c\n" * 5).encoding == "utf-8"
