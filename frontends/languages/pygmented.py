"""Languages that Pygments' lexers read, one row each.

Several of those lexers take quadratic or exponential time on short hostile texts, so these front ends are isolated:
they are run where they can be killed. Pygments is imported when the first text is scanned, and only the lexer needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontends.frontend import Frontend
from frontends.lexing.lexer_adapter import Paint, colours, painted_tokens
from frontends.normalise.folding import fold
from moss.model import Tokens


class PygmentsLanguage(NamedTuple):
    """One language: the lexer that reads it, and the exceptions in how that lexer classifies tokens."""

    name: str
    lexer: str  # its alias in Pygments
    endings: str = ""
    aliases: str = ""
    vocabulary: str = ""  # its own name, unless it shares one
    kept: str = ""  # token types that stand for themselves, although they are no keywords
    names: str = ""  # token types that are names, although the lexer calls them keywords


ROWS = (
    PygmentsLanguage("ada", "ada", ".adb .ads .ada", "ada95 ada2005", names="Keyword.Type"),
    PygmentsLanguage("bash", "bash", ".sh .bash .zsh .ksh", "sh shell zsh ksh", kept="Name.Builtin"),
    PygmentsLanguage("clojure", "clojure", ".clj .cljs .cljc", "clj", kept="Name.Builtin"),
    PygmentsLanguage("cobol", "cobol", ".cob .cbl .cpy"),
    PygmentsLanguage("css", "css", ".css", kept="Name.Tag Name.Builtin"),
    PygmentsLanguage("dart", "dart", ".dart"),
    PygmentsLanguage("elixir", "elixir", ".ex .exs", "ex exs"),
    PygmentsLanguage("erlang", "erlang", ".erl .hrl", "erl"),
    PygmentsLanguage("fsharp", "fsharp", ".fs .fsi .fsx", "f# fs"),
    PygmentsLanguage("groovy", "groovy", ".groovy .gradle"),
    PygmentsLanguage("haskell", "haskell", ".hs", "hs", names="Keyword.Type"),
    PygmentsLanguage("hcl", "hcl", ".hcl .tf .tfvars", "hcl2 terraform tf"),
    PygmentsLanguage("julia", "julia", ".jl", "jl", names="Keyword.Type"),
    PygmentsLanguage("lisp", "common-lisp", ".lisp .lsp .cl", "common-lisp commonlisp clisp", kept="Name.Builtin"),
    PygmentsLanguage("lua", "lua", ".lua"),
    PygmentsLanguage("matlab", "matlab", ".m", "octave"),
    PygmentsLanguage("ml", "ocaml", ".ml .mli", "ocaml caml"),
    PygmentsLanguage("modula2", "modula2", ".mod .def .mi", "modula-2 m2"),
    PygmentsLanguage("objective-c", "objective-c", ".mm", "objectivec objc obj-c"),
    PygmentsLanguage("pascal", "delphi", ".pas .pp .dpr .lpr", "delphi objectpascal freepascal"),
    PygmentsLanguage("perl", "perl", ".pl .pm .perl", kept="Name.Builtin"),
    PygmentsLanguage("plsql", "plpgsql", ".pls .pkb .pks .plsql .pck", "pl/sql plpgsql"),
    PygmentsLanguage("powershell", "powershell", ".ps1 .psm1", "ps1 pwsh"),
    PygmentsLanguage("prolog", "prolog", ".pro .prolog .plg", "swipl"),
    PygmentsLanguage("r", "r", ".r", "splus s rlang"),
    PygmentsLanguage("racket", "racket", ".rkt", "rkt", vocabulary="scheme", kept="Name.Builtin"),
    PygmentsLanguage("scheme", "scheme", ".scm .ss .sch", "schema scm", kept="Name.Builtin"),
    PygmentsLanguage("sml", "sml", ".sml .sig .fun", "standard-ml smlnj", names="Keyword.Type"),
    PygmentsLanguage("sql", "sql", ".sql .ddl", "mysql postgresql sqlite tsql", kept="Name.Builtin"),
    PygmentsLanguage("systemverilog", "systemverilog", ".sv .svh", "sv", vocabulary="verilog"),
    PygmentsLanguage("tcl", "tcl", ".tcl", "tk", kept="Name.Builtin"),
    PygmentsLanguage("vb", "vb.net", ".vb .bas .vbs", "vb.net vbnet visualbasic visual-basic basic"),
    PygmentsLanguage("verilog", "verilog", ".v .vh"),
    PygmentsLanguage("vhdl", "vhdl", ".vhd .vhdl"),
)


def pygments_scanner(row: PygmentsLanguage) -> Callable[[str], Tokens]:
    """A function from text to both channels, for a language that Pygments can read."""

    def scan(text: str) -> Tokens:
        folded = fold(text)
        lines, place = _in_lines(folded.text)
        colour = colours(len(lines), _painted_spans(row, lines))[place]
        return painted_tokens(row.vocabulary or row.name, folded, colour)

    return scan


def _painted_spans(row: PygmentsLanguage, text: str) -> Iterator[tuple[int, int, Paint]]:
    """Start, end and paint of each token of a text.

    >>> lisp = next(row for row in ROWS if row.name == "scheme")
    >>> [("(list-ref x 1)"[i:j], paint.name) for i, j, paint in _painted_spans(lisp, "(list-ref x 1)")]
    [('(', 'PLAIN'), ('list-ref', 'KEYWORD'), (' ', 'PLAIN'), ('x', 'NAME'), (' ', 'PLAIN'), ('1', 'NUMBER'),
     (')', 'PLAIN')]

    `get_tokens` would change the text, so it is not used.
    """
    for start, kind, value in _lexer(row.lexer).get_tokens_unprocessed(text):
        paint = _paint(row, kind)
        if paint is Paint.NAME and not _is_one_word(value):
            paint = Paint.PLAIN
        yield start, start + len(value), paint


def _in_lines(text: str) -> tuple[str, NDArray[np.int64]]:
    """The text with each line ended by a newline, also the last, and for each character of the text its place in that.
    Without newlines some lexers see no end of a comment, or no program at all.

    >>> lines, place = _in_lines("a\\r\\nb\\rc")
    >>> lines, place.tolist()
    ('a\\nb\\nc\\n', [0, 1, 1, 2, 3, 4])
    """
    second = np.zeros(len(text), np.int64)  # 1 for each newline that ends a line together with what is before it
    second[[pair.end() - 1 for pair in re.finditer("\r\n", text)]] = 1
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return lines if lines.endswith("\n") else f"{lines}\n", np.arange(len(text)) - np.cumsum(second)


def _is_one_word(value: str) -> bool:
    """Whether a name is one word, such as `list-ref`: it has a letter or digit, no blank and no quote."""
    return any(map(str.isalnum, value)) and not any(map(str.isspace, value)) and '"' not in value


@cache
def _lexer(alias: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(alias)


@cache
def _paint(row: PygmentsLanguage, kind: Any) -> Paint:
    """The paint of tokens of a type; doc strings are comments, preprocessor lines are part of the program."""
    from pygments.token import Comment, Keyword, Name, Number, Operator, String, string_to_tokentype

    def among(*types: Any) -> bool:
        return any(kind in wanted for wanted in types)

    if among(*map(string_to_tokentype, row.kept.split())):
        return Paint.KEYWORD
    if among(*map(string_to_tokentype, row.names.split()), Name):
        return Paint.NAME
    if among(Comment.Preproc, Comment.PreprocFile):
        return Paint.PLAIN
    if among(Comment, String.Doc):
        return Paint.COMMENT
    pairs = ((String, Paint.STRING), (Number, Paint.NUMBER), (Keyword, Paint.KEYWORD), (Operator, Paint.KEYWORD))
    return next((paint for wanted, paint in pairs if kind in wanted), Paint.PLAIN)


FRONTENDS = tuple(
    Frontend(
        row.name,
        pygments_scanner(row),
        f"Pygments ({row.lexer})",
        endings=tuple(row.endings.split()),
        aliases=tuple(row.aliases.split()),
        colours=row.lexer,
        isolated=True,
    )
    for row in ROWS
)
