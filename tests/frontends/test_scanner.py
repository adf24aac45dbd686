"""The scanners' fine print: where comments, strings, numbers and words begin and end in each language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontends import by_name
from frontends.languages import c, csharp, go, java, kotlin, rust, scala, swift
from frontends.lexing.scanner import Lexicon, TokenKind, lexemes, lexemes_with_structure
from moss.model import Channel

LEXICONS = {
    "java": java.LEXICON,
    "c": c.LEXICON,
    "csharp": csharp.LEXICON,
    "go": go.LEXICON,
    "kotlin": kotlin.LEXICON,
    "rust": rust.LEXICON,
    "scala": scala.LEXICON,
    "swift": swift.LEXICON,
}


def tokens(lexicon: Lexicon, text: str) -> list[tuple[str, str]]:
    """The kind and the characters of every token."""
    places = zip(*lexemes(lexicon, text), strict=True)
    return [(TokenKind(kind).name.lower(), text[start:end]) for kind, start, end in places]


def written(lexicon: Lexicon, text: str) -> str:
    """The tokens, each between bars, with comments as C, strings as S, numbers as N and keywords in capitals."""
    letters = {"comment": "C:", "string": "S:", "number": "N:", "keyword": "K:", "name": "", "sign": ""}
    return " | ".join(letters[kind] + value for kind, value in tokens(lexicon, text))


COMMENTS = [
    ("java", "a/**/b", "a | C:/**/ | b"),
    ("java", "a/***/b", "a | C:/***/ | b"),
    ("java", "/*/ a */b", "C:/*/ a */ | b"),
    ("java", "/* a /* b */ c", "C:/* a /* b */ | c"),
    ("java", "a /* to the end", "a | C:/* to the end"),
    ("java", "a // b /* c\nd", "a | C:// b /* c | d"),
    ("java", '"/*" a "*/"', 'S:"/*" | a | S:"*/"'),
    ("java", "a / b", "a | / | b"),
    ("c", "a // b \\\n c\nd", "a | C:// b \\\n c | d"),
    ("c", "a // b \\\r\n c\r\nd", "a | C:// b \\\r\n c | d"),
    ("c", "#define A b \\\n c", "# | define | A | b | c"),
    ("c", "a // b \\", "a | C:// b \\"),
    ("c", "in\\\nt wh\\ \t\r\nile", "K:in\\\nt | K:wh\\ \t\r\nile"),
    ("c", "/\\\n/ a\nb", "C:/\\\n/ a | b"),
    ("c", "a<:0:> <% %>", "a | <: | N:0 | :> | <% | %>"),
    ("c", "a<::b>", "a | < | : | : | b | >"),
    ("csharp", "a // b\u2028c", "a | C:// b | c"),
    ("java", "a // b\u2028c", "a | C:// b\u2028c"),
    ("java", "\\u0069n\\uuu0074\\u0020a", "K:\\u0069n\\uuu0074 | a"),
    ("java", "\\u002f/ a\\u000ab", "C:\\u002f/ a | b"),
    ("java", '"\\\\u0022" a', 'S:"\\\\u0022" | a'),
    ("java", '"\\u0022 a', 'S:"\\u0022 | a'),
    ("rust", "/* a /* b */ c */ d", "C:/* a /* b */ c */ | d"),
    ("kotlin", "/* /* /* /* a */ */ */ */ d", "C:/* /* /* /* a */ */ */ */ | d"),
    ("swift", "/* a /* b */ c", "C:/* a /* b */ c"),
    ("scala", "/** a **/ d", "C:/** a **/ | d"),
]

STRINGS = [
    ("java", r'"a\"b" c', r'S:"a\"b" | c'),
    ("java", r'"a\\" c', r'S:"a\\" | c'),
    ("java", '"never closed\nb', 'S:"never closed | b'),
    ("java", '"""a "b" c\\"""d""" e', 'S:"""a "b" c\\"""d""" | e'),
    ("java", r"'\'' '\\' '\u0022' 'a'", r"S:'\'' | S:'\\' | S:'\u0022' | S:'a'"),
    ("java", "don't say no", "don | ' | t | say | no"),
    ("c", 'L"a" u8"b" x"c"', 'S:L"a" | S:u8"b" | x | S:"c"'),
    ("c", 'R"(a"b)" R"x(a)" b)x" c', 'S:R"(a"b)" | S:R"x(a)" b)x" | c'),
    ("c", '"a\\\nb" c', 'S:"a\\\nb" | c'),
    ("c", "'RIFF' '\\x7f' L'a'", "S:'RIFF' | S:'\\x7f' | S:L'a'"),
    ("csharp", r'@"a\" b', r'S:@"a\" | b'),
    ("csharp", '@"a""b" c', 'S:@"a""b" | c'),
    ("csharp", '$"a {d["k"]} b" c', 'S:$"a {d["k"]} b" | c'),
    ("csharp", '$"a {{ b" c', 'S:$"a {{ b" | c'),
    ("csharp", '$@"a {d["k"]}\n""b""" c @$"d" e', 'S:$@"a {d["k"]}\n""b""" | c | S:@$"d" | e'),
    ("csharp", '"""a ""b"" c""" d """"e"""f"""" g', 'S:"""a ""b"" c""" | d | S:""""e"""f"""" | g'),
    ("csharp", '$$"""a {{b}} "c" """ d $"""e""" f', 'S:$$"""a {{b}} "c" """ | d | S:$"""e""" | f'),
    ("csharp", "@class", "@ | K:class"),
    ("go", '`a\\` + `b\n"c` d', 'S:`a\\` | + | S:`b\n"c` | d'),
    ("go", r"'\U0001F600' '世'", r"S:'\U0001F600' | S:'世'"),
    ("kotlin", '"a ${m["k"]} $b" c', 'S:"a ${m["k"]} $b" | c'),
    ("kotlin", '"a ${if (x) { "}" } else "b"} c" d', 'S:"a ${if (x) { "}" } else "b"} c" | d'),
    ("kotlin", '"""a "b" $c ${d("e")}""" f', 'S:"""a "b" $c ${d("e")}""" | f'),
    ("kotlin", '"cost: $" a', 'S:"cost: $" | a'),
    (
        "rust",
        "fn f<'a,'b>(x: &'a str) { 'c' }",
        "K:fn | f | < | ' | a | , | ' | b | > | ( | x | : | & | ' | a | K:str | ) | { | S:'c' | }",
    ),
    ("rust", r"'\'' b'\\' '\u{1F600}' '\x41'", r"S:'\'' | S:b'\\' | S:'\u{1F600}' | S:'\x41'"),
    ("rust", 'r"a\\" r#"b"c"# br##"d"#e"## f', 'S:r"a\\" | S:r#"b"c"# | S:br##"d"#e"## | f'),
    ("rust", '"a\n  b" c', 'S:"a\n  b" | c'),
    ("rust", "r#type", "r | # | K:type"),
    ("scala", 's"a ${m("k")} $b" c', 'S:s"a ${m("k")} $b" | c'),
    ("scala", 'raw"""a\\ ${b("c")} """ d', 'S:raw"""a\\ ${b("c")} """ | d'),
    ("scala", '"""a\\""" b """c"""" d', 'S:"""a\\""" | b | S:"""c"""" | d'),
    ("scala", "'sym 'a' '\\n'", "' | sym | S:'a' | S:'\\n'"),
    ("swift", r'"a \(f("x", (1))) b" c', r'S:"a \(f("x", (1))) b" | c'),
    ("swift", '"""\na "b" \\(c("d"))\n""" e', 'S:"""\na "b" \\(c("d"))\n""" | e'),
    ("swift", '#"a"b\\n"# c ##"d"#e"## f', 'S:#"a"b\\n"# | c | S:##"d"#e"## | f'),
    ("swift", "#if DEBUG", "# | K:if | DEBUG"),
]

NUMBERS = [
    ("java", "0x1F_FFL 1_000 0b101 017", "N:0x1F_FFL | N:1_000 | N:0b101 | N:017"),
    ("java", "1.5e-3f .5 1. 1.f 0x1.8p+3 1e5", "N:1.5e-3f | N:.5 | N:1. | N:1.f | N:0x1.8p+3 | N:1e5"),
    ("java", "0x1e+5 1-2 a1.b2 x1-1", "N:0x1e | + | N:5 | N:1 | - | N:2 | a1 | . | b2 | x1 | - | N:1"),
    ("java", "a.5", "a | . | N:5"),
    ("c", "1'000'000ull 5ms 1.5_km", "N:1'000'000ull | N:5ms | N:1.5_km"),
    ("csharp", "1.ToString() 1.5m 2..3", "N:1 | . | ToString | ( | ) | N:1.5m | N:2 | . | . | N:3"),
    ("kotlin", "1..5 1.5f 2.toLong()", "N:1 | . | . | N:5 | N:1.5f | N:2 | . | toLong | ( | )"),
    (
        "rust",
        "0..10 1.max(2) t.0 1.0e-5_f64 2.",
        "N:0 | . | . | N:10 | N:1 | . | max | ( | N:2 | ) | t | . | N:0 | N:1.0e-5_f64 | N:2.",
    ),
    ("swift", "0..<5 0...9 0x1p-2", "N:0 | . | . | < | N:5 | N:0 | . | . | . | N:9 | N:0x1p-2"),
    ("go", "1i 0o17 .5e+2 0x_Ap1", "N:1i | N:0o17 | N:.5e+2 | N:0x_Ap1"),
]

WORDS = [
    ("java", "class Class CLASS $x a$1", "K:class | Class | CLASS | $x | a$1"),
    ("swift", "self Self SELF", "K:self | K:Self | SELF"),
    ("c", "_Bool _bool NULL null", "K:_Bool | _bool | K:NULL | null"),
    ("java", "größe 变量名", "größe | 变量名"),
    ("java", "a=-b>>=c", "a | = | - | b | > | > | = | c"),
]


@pytest.mark.parametrize(("language", "text", "expected"), COMMENTS + STRINGS + NUMBERS + WORDS)
def test_tokens(language: str, text: str, expected: str) -> None:
    assert written(LEXICONS[language], text) == expected


PIECES = st.sampled_from([*" \n\\\"'/*#ab1", "if", "/*", "*/", "//", "r'", "é", "日", "\\u0061", "\u200b"])


@given(st.sampled_from(sorted(LEXICONS)), st.lists(st.lists(PIECES, max_size=30).map("".join), max_size=6))
def test_tokens_of_many_texts_are_those_of_each(language: str, texts: list[str]) -> None:
    lexicon = LEXICONS[language]
    together = lexemes_with_structure(lexicon, [*map(lexicon.fold, texts)])
    for text, (found, _) in zip(texts, together, strict=True):
        alone = lexemes(lexicon, text)
        assert [column.tolist() for column in found] == [column.tolist() for column in alone]


def test_every_name_number_and_string_has_one_code() -> None:
    scan = by_name("java").scan
    a, b = (
        scan(text)[Channel.STRUCTURE].codes.tolist() for text in ('x = y1 + 1.5 + "a";', "foo=bar_2+0xFF+'b'; // c")
    )
    assert a == b
    assert len(a) == 8
    assert len(set(a)) == 6  # name = + number string ;


def test_offsets_are_those_of_the_original() -> None:
    text = "int na\u200bïve = \\u0031; // end"
    stream = by_name("java").scan(text)[Channel.STRUCTURE]
    spans = zip(stream.start, stream.end, strict=True)
    assert [text[start:end] for start, end in spans] == ["int", "na\u200bïve", "=", "\\u0031", ";"]


def test_c_and_cpp_share_their_codes_and_others_do_not() -> None:
    text = "if (x) return 1;"
    c_codes, cc_codes, java_codes = (
        by_name(name).scan(text)[Channel.STRUCTURE].codes.tolist() for name in ("c", "cc", "java")
    )
    assert c_codes == cc_codes
    assert not set(c_codes) & set(java_codes)
