"""Which front end reads a file: the one that the user asked for, or that its ending says; lexers never guess.

A copied program that was saved as notes.txt is still a program. So a file whose ending says prose, or nothing, but
whose text has the signs of a program is read in the language that the rest of the class uses. One ending, `.pl`, is
that of two languages, which are easily told apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from frontends import DATA, GENERIC, TEXT, Frontend, by_name, for_path
from moss.model import Channel

_SIGNS = ";{}()=[]<>"
_PROGRAM = 0.05  # programs have about one of these signs in ten characters, prose one in two hundred

_CODE_WORD = re.compile(r"(?<!\S)(?:[^\s@/]*?(?:[;{}=<>]|\w[(\[]|[a-z_]\.[A-Za-z_]\w|\w_\w)|[$@:%&][a-z])")
_DEFINITION = re.compile(r"^[ \t]*+#[ \t]*+define\b", re.MULTILINE)
_MANY = 0.15  # of all words: prose about formulas has up to 0.11
_FEWEST = 10  # signs or words that make a program

_PLAIN = (".txt", ".text")  # text without markup, which has signs and words like those of programs

_CLAUSE = re.compile(r"^(?:[a-z]\w*\b.*)?:-|:-[ \t]*$|^[a-z]\w*\(.*\)\.[ \t]*(?:%.*)?$", re.MULTILINE)
_PERL = re.compile(r"[$@]\w|^[ \t]*+(?:sub \w|use \w|package \w)", re.MULTILINE)

MAY_HOLD_PROGRAMS = frozenset({TEXT.name, "html"})
"""The languages of files in which a task or its starter code may be handed out."""

_DOCUMENTS = ("html", "css")  # they lie beside programs, and keep their front ends if another language is asked for


def looks_like_program(text: str) -> bool:
    """Whether the text has at least half of the signs that programs have, or many words such as only programs have,
    however much of it is comments: `self.size`, `print(x)`, `$name`, `total_sum`, `=`. Or it gives signs other names,
    so that none of them is left.

    >>> comment = "# What the next line does, and why it does so.\\n"
    >>> looks_like_program((comment + "self.size = row_count(of_all)\\n") * 5), looks_like_program(comment * 10)
    (True, False)
    >>> looks_like_program("#define auf (\\n#define zu )\\n" * 5 + "haupt auf zu\\n" * 100)
    True
    """
    sample = text[:100_000]
    has_words = has_code_words(sample) and len(_CODE_WORD.findall(sample)) >= _FEWEST
    return has_signs(sample) or has_words or len(_DEFINITION.findall(sample)) >= _FEWEST


def has_code_words(text: str) -> bool:
    """Whether a text has at least half as many words such as only programs have as programs have."""
    return len(_CODE_WORD.findall(text)) >= _MANY * len(text.split())


def has_signs(text: str) -> bool:
    """Whether the text has at least half of the signs that programs have."""
    sample = text[:100_000]
    written = len(sample) - sum(sample.count(blank) for blank in " \t\r\n")
    signs = sum(sample.count(sign) for sign in _SIGNS)
    return signs >= _FEWEST and signs > _PROGRAM * written


def count_languages(paths: Iterable[str]) -> Counter[str]:
    """How many of these files are in each programming language, by their endings."""
    return Counter(f.name for path in paths if (f := for_path(path)) and f.channel is Channel.STRUCTURE)


def main_language(paths: Iterable[str]) -> Frontend | None:
    """The programming language of most of these files, by their endings; the first by name if several have as many."""
    found = count_languages(paths)
    return by_name(min(found, key=lambda name: (-found[name], name))) if found else None


def is_prolog(text: str) -> bool:
    """Whether a file that could be Perl or Prolog (`.pl`) has clauses rather than variables as Perl's.

    >>> is_prolog("parent(ann, bob).\\nold(X) :- parent(X, _).\\n"), is_prolog("my $x = shift;\\nprint $x;\\n")
    (True, False)
    """
    sample = text[:100_000]
    return len(_CLAUSE.findall(sample)) > len(_PERL.findall(sample))


def choose(path: str, text: str, wished: Frontend | None, main: Frontend | None) -> Frontend:
    """The front end for a file; `wished` is what the user asked for, `main` the language of most files."""
    by_ending = for_path(path)
    if path.lower().endswith(".pl") and is_prolog(text):
        by_ending = by_name("prolog")
    if wished is not None and wished.channel is Channel.TEXT:
        return wished
    if by_ending is not None and by_ending.channel is Channel.STRUCTURE:
        return by_ending if wished is None or by_ending.name in _DOCUMENTS else wished
    without_markup = by_ending is None or path.lower().endswith(_PLAIN)
    if by_ending is not DATA and (looks_like_program(text) if without_markup else has_signs(text)):
        return wished or main or GENERIC
    return by_ending or TEXT
