"""A program whose keywords and signs have other names by `#define` has the structure that it has for the compiler."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontends import by_name, scan_all
from moss.model import Channel, TokenStream
from moss.report.code.syntax_classes import tokens_of

PROGRAM = """
int main(void) {
    int total = 0;
    for (int i = 0; i < 10 && total >= 0; i++) {
        if (i % 2) { total += i; } else { printf("%d\\n", total); }
    }
    while (total > 0) total = total - 3;
    return total;
}
"""
HEADER = "#ifndef LIST_H\n#define LIST_H\nint length(struct list *of);\n#endif\n"


def structure(text: str, language: str = "c") -> TokenStream:
    return by_name(language).scan(text)[Channel.STRUCTURE]


def renamed(text: str, names: dict[str, str]) -> str:
    """The text with other names for keywords and signs, and the definitions of these names before it."""
    tokens = re.findall(r'"[^"]*"|\w+|&&|\S', text)
    back = {stands_for: name for name, stands_for in names.items()}
    lines = [f"#define {name} {stands_for}" for name, stands_for in names.items()]
    return "\n".join([*lines, " ".join(back.get(token, token) for token in tokens)])


WORDS = {"ganz": "int", "fuer": "for", "wenn": "if", "sonst": "else", "solange": "while", "zurueck": "return"}
SIGNS = {"anfang": "{", "ende": "}", "auf": "(", "zu": ")", "punkt": ";", "und": "&&"}


@pytest.mark.parametrize("language", ["c", "cc"])
@pytest.mark.parametrize("names", [WORDS, SIGNS, WORDS | SIGNS], ids=["keywords", "signs", "both"])
def test_renamed_keywords_and_signs_change_no_code(language: str, names: dict[str, str]) -> None:
    other, own = structure(renamed(PROGRAM, names), language), structure(PROGRAM, language)
    assert other.codes.tolist() == own.codes.tolist()
    assert (other.start < other.end).all()
    assert (other.end[:-1] <= other.start[1:]).all()


@given(st.sets(st.sampled_from(sorted(WORDS | SIGNS))))
def test_whichever_are_renamed(chosen: set[str]) -> None:
    names = {name: (WORDS | SIGNS)[name] for name in chosen}
    assert structure(renamed(PROGRAM, names)).codes.tolist() == structure(PROGRAM).codes.tolist()


SAME = {
    "by way of another macro": ("#define a b\n#define b while\na (x) y;", "while (x) y;"),
    "parameters passed on": ("#define wenn(x) if (x)\nwenn(y > 0) z;", "if (y > 0) z;"),
    "any parameters passed on": ("#define wenn(...) if (__VA_ARGS__)\nwenn(y) z;", "if (y) z;"),
    "nothing": ("#define NIX\nint NIX x NIX = 3;", "int x = 3;"),
    "several": ("#define sonst } else {\nif (x) { y; sonst z; }", "if (x) { y; } else { z; }"),
    "a comment behind": ('#define wenn if // "it\'s"\nwenn (x) y;', "if (x) y;"),
    "a comment between": ("#define wenn /* not */ if\nwenn (x) y;", "if (x) y;"),
    "blanks": ("  #  define\twenn\tif  \nwenn (x) y;", "if (x) y;"),
    "on several lines": ("#define wenn \\\n if\nwenn (x) y;", "if (x) y;"),
    "line ends of Windows": ("#define wenn if\r\nwenn (x) y;\r\n", "if (x) y;"),
    "feeds for blanks": ("#define\fwenn\vif\nwenn (x) y;", "if (x) y;"),
    "a name with a dollar": ("#define $w if\n$w (x) y;", "if (x) y;"),
    "right behind a directive": ("#ifdef X\n#define wenn if\n#endif\nwenn (x) y;", "#ifdef X\n#endif\nif (x) y;"),
    "another one in a comment before": ("/*\n#define wenn int\n*/\n#define wenn if\nwenn (x) y;", "if (x) y;"),
    "its body defined in a comment": ("// #define if int\n#define wenn if\nwenn (x) y;", "if (x) y;"),
    "look-alikes": ("#define w\u0435nn if\nwenn (x) y;", "if (x) y;"),
}


@pytest.mark.parametrize(("text", "compiled"), SAME.values(), ids=SAME)
def test_a_macro_is_read_as_what_it_stands_for(text: str, compiled: str) -> None:
    assert structure(text).codes.tolist() == structure(compiled).codes.tolist()


STAYS = {
    "a number": ("#define MAX 100\nint a[MAX];", "#define ALL 100\nint a[ALL];"),
    "a string": ('#define END "x"\nputs(END);', '#define ALL "x"\nputs(ALL);'),
    "another name": ("#define out printf\nout(x);", "#define put printf\nput(x);"),
    "parameters used otherwise": ("#define f(x) (x) * 2\nf(y);", "#define g(x) (x) * 2\ng(y);"),
    "itself": ("#define x x\nint x;", "#define y y\nint y;"),
    "in a circle": ("#define x y\n#define y x\nint x;", "#define a b\n#define b a\nint a;"),
    "in a comment": ("/*\n#define x if\n*/ x (y);", "z (y);"),
    "never used": ("#define wenn if\nx (y);", "#define falls if\nx (y);"),
    "asked for": ("#define x if\n#ifdef x\n#undef x\n#endif", "#define y if\n#ifdef y\n#undef y\n#endif"),
    "a guard": (HEADER, HEADER.replace("LIST_H", "OTHER_H")),
}


@pytest.mark.parametrize(("text", "same"), STAYS.values(), ids=STAYS)
def test_other_macros_are_names(text: str, same: str) -> None:
    found = structure(text)
    assert found.codes.tolist() == structure(same).codes.tolist()
    written = [text[i:j] for i, j in zip(found.start, found.end, strict=True)]
    assert written == re.findall(r'"[^"]*"|\w+|[^\w\s]', re.sub(r"/\*[\s\S]*?\*/", "", text))


def test_a_text_of_nothing_but_a_comment_with_a_macro_has_no_tokens() -> None:
    assert len(structure("/*\n#define wenn if\nwenn (x)")) == 0


def test_macros_of_one_text_mean_nothing_in_the_next() -> None:
    texts = [f"#define wenn if\n{'wenn (x) y; ' * 3}", "wenn (x) y;", "if (x) y;"]
    found = [tokens[Channel.STRUCTURE].codes.tolist() for tokens in scan_all(by_name("c"), texts)]
    assert found == [structure(text).codes.tolist() for text in texts]
    assert found[1] != found[2]


def test_a_text_that_ends_in_a_directive_changes_nothing_in_the_next() -> None:
    texts = ["int x;\n#endif", "wenn (x) y;\n#define wenn if\nwenn (y) z;"]
    found = [tokens[Channel.STRUCTURE].codes.tolist() for tokens in scan_all(by_name("c"), texts)]
    assert found == [structure(text).codes.tolist() for text in texts]


def test_tokens_stand_where_the_name_stands() -> None:
    text = "#define sonst } else {\nx sonst y"
    found = structure(text)
    assert [text[i:j] for i, j in zip(found.start, found.end, strict=True)] == ["x", "s", "o", "nst", "y"]


@pytest.mark.parametrize("name", ["\ufb01", "\ufb01x", "x\ufb01", "\ufb03"])
def test_a_ligature_in_a_name_is_the_place_of_one_token(name: str) -> None:
    text = f"#define {name} }} else {{\nx {name} y; fi {name}"
    found = structure(text)
    assert (found.start < found.end).all()
    assert (found.end[:-1] <= found.start[1:]).all()
    shown = tokens_of("c", text, Channel.STRUCTURE)
    assert (shown.start.tolist(), shown.end.tolist()) == (found.start.tolist(), found.end.tolist())


def test_macros_of_macros_take_no_more_tokens_than_they_may() -> None:
    chain = "".join(f"#define m{n} {' '.join([f'm{n + 1}'] * 4)}\n" for n in range(40))
    for last in ("int", ""):
        text = f"{chain}#define m40 {last}\n" + "m0 " * 100
        assert len(structure(text)) <= len(structure("m0 " * 100)) + 8 * 41


@pytest.mark.parametrize("order", [1, -1])
def test_chains_of_macros_are_followed_to_their_end(order: int) -> None:
    chain = [f"#define m{n} m{n + 1}\n" for n in range(40)][::order]
    text = "".join(chain) + "#define m40 if\nm0 (x) m7 (y) m40"
    assert structure(text).codes.tolist() == structure("if (x) if (y) if").codes.tolist()


def test_a_directive_that_another_text_ends_with_changes_nothing() -> None:
    text = "w (x)\n#define w if\nw (y)\n"
    [_, together] = scan_all(by_name("c"), ["int a;\n#define ", text])
    assert together[Channel.STRUCTURE].codes.tolist() == structure(text).codes.tolist()


LINES = {
    "python": ("x = f(1)\nif x:\n    y = x\n", "x = f(1);\nif x:\n    y = x;\n"),
    "javascript": ("let x = f(1)\nif (x) {\n  y = x\n}\n", "let x = f(1);\nif (x) {\n  y = x;;\n};\n"),
    "typescript": ("let x = f(1)\nif (x) {\n  y = x\n}\n", "let x = f(1);\nif (x) {\n  y = x;;\n};\n"),
    "kotlin": ("val x = f(1)\nif (x) {\n  y = x\n}\n", "val x = f(1);\nif (x) {\n  y = x;\n};\n"),
    "swift": ("let x = f(1)\nif x {\n  y = x\n}\n", "let x = f(1);\nif x {\n  y = x;\n};\n"),
    "scala": ("val x = f(1)\nif (x) {\n  y = x\n}\n", "val x = f(1);\nif (x) {\n  y = x;\n};\n"),
    "go": ("x := f(1)\nif x {\n  y = x\n}\n", "x := f(1);\nif x {\n  y = x;\n};\n"),
    "ruby": ("x = f(1)\nif x\n  y = x\nend\n", "x = f(1);\nif x;\n  y = x;\nend;\n"),
}


@pytest.mark.parametrize("language", LINES)
def test_semicolons_that_nobody_needs_change_no_code(language: str) -> None:
    without, with_them = LINES[language]
    assert structure(without, language).codes.tolist() == structure(with_them, language).codes.tolist()
    wide = f"名 = 1;\n{with_them}"
    assert structure(wide, language).codes.tolist() == structure(wide.replace(";", " "), language).codes.tolist()


@pytest.mark.parametrize("language", ["c", "cc", "java", "csharp", "rust", "php"])
def test_semicolons_that_the_compiler_wants_are_tokens(language: str) -> None:
    assert structure("x = y; z = 1;", language).codes.tolist() != structure("x = y z = 1", language).codes.tolist()


PIECES = (
    "#define w if\n",
    "w",
    "x",
    "{",
    "}",
    ";",
    "; ",
    "\u037e",
    "\u200b",
    "é",
    "\ufb01",
    "'a'",
    "# c\n",
    "// c\n",
    "\n",
)


@pytest.mark.parametrize("language", ["c", "java", *LINES])
@given(pieces=st.lists(st.sampled_from(PIECES)))
def test_pages_mark_the_tokens_that_were_compared(language: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    compared, marked = structure(text, language), tokens_of(language, text, Channel.STRUCTURE)
    assert marked.start.tolist() == compared.start.tolist()
    assert marked.end.tolist() == compared.end.tolist()
