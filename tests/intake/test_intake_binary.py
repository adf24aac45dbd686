import gzip
import os
import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy._core import _multiarray_umath

from moss.intake.encodings import binary_reason

SOURCE = b"public class A {\n  int add(int a, int b) { return a + b; }\n}\n" * 30


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 20, "PNG"),
        (b"\xff\xd8\xff\xe0", "JPEG"),
        (b"GIF89a\x01\0\x01\0", "GIF"),
        (b"%PDF-1.7\n1 0 obj\n", "PDF"),
        (b"\xca\xfe\xba\xbe\0\0\0\x34", "Java class"),
        (b"\x7fELF\x02\x01\x01\0", "compiled program"),
        (b"MZ\x90\0\x03", "compiled program"),
        (b"PK\x03\x04\x14\0", "zip"),
        (gzip.compress(SOURCE, mtime=0), "compressed"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "office"),
        (b"wOFF\0\x01\0\0", "font"),
        (b"SQLite format 3\0", "database"),
    ],
)
def test_known_kinds_are_named(content, what):
    assert what in binary_reason(content)


@pytest.mark.parametrize(
    "content",
    [
        random.Random(1).randbytes(5000),
        zlib.compress(os.urandom(100) * 100 + bytes(5000)),
        bytes(1000),
        bytes(i % 7 for i in range(4000)),
        b"".join(i.to_bytes(4, "little") for i in range(3000)),
        b"".join(i.to_bytes(2, "big") for i in range(30)) * 20,
    ],
)
def test_unknown_kinds_are_recognised_by_their_bytes(content):
    assert binary_reason(content) == "binary content"


@pytest.mark.parametrize("offset", range(0, 5_000_000, 500_000))
def test_compiled_code_is_binary_from_any_offset(offset):
    with open(_multiarray_umath.__file__, "rb") as file:
        file.seek(offset)
        assert binary_reason(file.read(64_000))


def sprinkled(step, what=b"\0"):
    return what.join(SOURCE[i : i + step] for i in range(0, len(SOURCE), step))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        SOURCE,
        SOURCE + b"\0",
        SOURCE.replace(b"\n", b"\0\n"),
        SOURCE.replace(b"\n", b"\n\0\n\0"),
        sprinkled(1),
        sprinkled(2),
        sprinkled(3),
        sprinkled(5, b"\x01"),
        sprinkled(30, b"\x02\x03"),
        SOURCE + bytes(5000),
        SOURCE.decode().encode("utf-16-le"),
        SOURCE.decode().encode("utf-32-be"),
        ("日本語のテキスト\n" * 30).encode("utf-16"),
        ("комментарий\n" * 30).encode("cp1251"),
        ("これは日本語の文章です\n" * 30).encode("shift_jis"),
        b"\x1b[31mred\x1b[0m\x08\x0c\n" * 50,
        b"MZ is a country code\n",
        b"GIF89a is a format\n",
        b"BZh\n",
        b"RIFF\xe9\n",
    ],
)
def test_texts_stay_texts_whatever_is_sprinkled_in(content):
    assert binary_reason(content) == ""


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_printable_text_is_never_binary(text):
    if not text.startswith("%PDF-"):
        assert binary_reason(text.encode()) == ""
