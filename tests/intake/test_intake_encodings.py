import codecs
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss.intake.encodings import binary_reason, decode, is_ebcdic

PROGRAM = 'int größe = 1; // naïve\r\nstring s = "日本 – €";\x0c\rend\n'


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (b"", "utf-8"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
        (b"", "utf-32-le"),
        (b"", "utf-32-be"),
    ],
)
def test_unicode_with_and_without_mark(mark, encoding):
    assert decode(mark + PROGRAM.encode(encoding)) == (PROGRAM, encoding)


def test_cyrillic_utf16_without_mark():
    text = "print('привет мир') # комментарий\n" * 5
    assert decode(text.encode("utf-16-le")) == (text, "utf-16-le")


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_utf8_is_read_to_the_character(text):
    if "\0" not in text and not text.startswith("\ufeff"):
        assert decode(text.encode()) == (text, "utf-8")


@settings(deadline=None, max_examples=300)
@given(st.binary())
def test_nothing_fails_and_everything_can_be_written(content):
    text, encoding = decode(content)
    text.encode()
    codecs.lookup(encoding)


@pytest.mark.parametrize("stray", [b"\xe9", b"\x93", b"\x81", b"\xff"])
@pytest.mark.parametrize("text", ["x = 1\n" * 50, "größer = 'naïve'  # 日本\n" * 20])
def test_a_stray_byte_leaves_the_rest_as_it_is(stray, text):
    content = text.encode()
    middle = content.index(b"\n", len(content) // 2)
    decoded, _ = decode(content[:middle] + stray + content[middle:])
    expected = stray.decode("cp1252", "ignore") or stray.decode("latin-1")
    assert decoded == content[:middle].decode() + expected + content[middle:].decode()


def test_a_stray_byte_behind_a_mark():
    assert decode(codecs.BOM_UTF8 + "größe größe".encode() + b"\xe9")[0] == "größe größeé"


def test_a_stray_byte_does_not_make_a_wrong_declaration_right():
    content = "# coding: latin-1\n# größe naïve\n".encode() + b"\xe9\n"
    assert decode(content)[0] == "# coding: latin-1\n# größe naïve\né\n"


@pytest.mark.parametrize(
    ("declaration", "text", "encoding"),
    [
        ("# -*- coding: cp1251 -*-\n", "привет", "cp1251"),
        ("#!/usr/bin/python\n# vim: set fileencoding=koi8-r :\n", "привет", "koi8-r"),
        ('<?xml version="1.0" encoding="ISO-8859-2"?>\n', "zażółć", "iso8859-2"),
        ('<html><head><meta charset="shift_jis">', "日本語", "shift_jis"),
        ("<meta http-equiv='Content-Type' content='text/html; charset=windows-1253'>", "Ελλάδα", "cp1253"),
    ],
)
def test_declared_encodings(declaration, text, encoding):
    assert decode((declaration + text).encode(encoding)) == (declaration + text, encoding)


@pytest.mark.parametrize("name", ["unicode_escape", "utf-7", "rot13", "hex", "idna", "nonsense", "utf-16", "os"])
def test_declarations_that_would_change_plain_text_are_not_believed(name):
    content = f"# coding: {name}\nx = '\\u0041+AGE-'\n".encode() + b"\xe9"
    assert decode(content)[0] == content.decode("latin-1")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("// Эта программа складывает два числа и печатает результат на экран\nint x;\n", "cp1251"),
        ("// 这个程序把两个数字相加然后打印结果\nint x;\n", "gb18030"),
        ("// このプログラムは二つの数を足して結果を表示します\nint x;\n", "cp932"),
        ("// 이 프로그램은 두 수를 더하고 결과를 출력합니다\n", "cp949"),
        ("// Αυτό το πρόγραμμα προσθέτει δύο αριθμούς\n", "cp1253"),
        ("// Este programa suma dos números y muestra el año en la pantalla, señor, ¿qué más?\n", "cp1252"),
        ("// Ce programme calcule où l'élève a été très occupé, ça marche même à Noël\n", "cp1252"),
    ],
)
def test_detected_encodings(text, encoding):
    assert decode((text * 8).encode(encoding))[0] == text * 8


def test_western_accents():
    assert decode(b"// caf\xe9 na\xefve \xfcber\nint x;\n") == ("// café naïve über\nint x;\n", "latin-1")
    assert decode(b"// \x93quoted\x94\n") == ("// “quoted”\n", "cp1252")


def test_detection_is_bounded_in_time():
    content = "// Эта программа складывает два числа\n".encode("cp1251") * 200_000
    started = time.process_time()
    decode(content)
    assert time.process_time() - started < 3


def test_newlines_and_controls_stay():
    assert decode(b"a\r\nb\rc\nd\x0ce\0f\x0b")[0] == "a\r\nb\rc\nd\x0ce\0f\x0b"


EBCDIC = "int main(void) {\n    int a[3] = {1, 2, 3};\n    return a[0] != a[1] && a[2] > 0;\n}\n"


def test_c_programs_of_mainframes_keep_their_brackets():
    """Code page 1047 is 37 with six signs in other places."""
    swapped = str.maketrans("[]Ý¨^¬", "Ý¨[]¬^")
    text = EBCDIC.replace("!=", "^")
    assert decode(text.translate(swapped).encode("cp037")) == (text, "cp1047")


@pytest.mark.parametrize("encoding", ["cp037", "cp500", "cp273"])
def test_a_text_from_a_mainframe_is_read(encoding):
    content = EBCDIC.encode(encoding)
    assert binary_reason(content) == ""
    assert decode(content) == (EBCDIC, encoding)
    assert decode(content.replace(b"\x25", b"\x15"))[0] == EBCDIC  # the other line end


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Приветмир" * 30, "cp1251"),
        ("Приветмир" * 30, "koi8_r"),
        ("これはプログラムです。" * 20, "shift_jis"),
        ("这是一个程序" * 30, "gb18030"),
        ("f(" + "été" * 30 + ")", "latin-1"),
        ("ΑΒΓΔΕΖΗΘΙ" * 20, "cp1253"),  # all of it where EBCDIC has letters
        ("@ΑΒΓ ΔΕΖΗΘΙ" * 20, "cp1253"),
    ],
)
def test_other_encodings_without_blanks_are_not_taken_for_it(text, encoding):
    assert not is_ebcdic(text.encode(encoding))
