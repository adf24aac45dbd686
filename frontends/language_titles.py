"""The names of languages as people write them."""

from __future__ import annotations

from moss.messages import gettext, marked

_TITLES = {
    "a8086": "x86 assembly", "ada": "Ada", "bash": "Bash", "c": "C", "cc": "C++", "clojure": "Clojure",
    "cobol": "COBOL", "csharp": "C#", "css": "CSS", "dart": "Dart", "elixir": "Elixir", "erlang": "Erlang",
    "fortran": "Fortran", "fortran77": "Fortran 77", "fsharp": "F#", "go": "Go", "groovy": "Groovy",
    "haskell": "Haskell", "hcl": "HCL", "html": "HTML", "java": "Java", "javascript": "JavaScript", "julia": "Julia",
    "kotlin": "Kotlin", "lisp": "Common Lisp", "lua": "Lua", "matlab": "MATLAB", "mips": "MIPS assembly", "ml": "OCaml",
    "modula2": "Modula-2", "objective-c": "Objective-C", "pascal": "Pascal", "perl": "Perl", "php": "PHP",
    "plsql": "PL/SQL", "powershell": "PowerShell", "prolog": "Prolog", "python": "Python", "r": "R", "racket": "Racket",
    "ruby": "Ruby", "rust": "Rust", "scala": "Scala", "scheme": "Scheme", "sml": "Standard ML", "spice": "SPICE",
    "sql": "SQL", "swift": "Swift", "systemverilog": "SystemVerilog", "tcl": "Tcl", "typescript": "TypeScript",
    "vb": "Visual Basic", "verilog": "Verilog", "vhdl": "VHDL",
}  # fmt: skip
_KINDS = {
    "ascii": marked("text as typed"),
    "data": marked("data"),
    "generic": marked("other code"),
    "text": marked("text"),
}


def language_title(name: str) -> str:
    """The name that people use for a front end: `C++` for `cc`; for a plugin its own name.

    >>> language_title("cc"), language_title("ml"), language_title("klingon")
    ('C++', 'OCaml', 'klingon')
    """
    return gettext(_KINDS[name]) if name in _KINDS else _TITLES.get(name, name)
