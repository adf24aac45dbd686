"""The commands of the MOSS protocol: what each line means, in all the ways in which clients write it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

OPTIONS = ("directory", "X", "maxmatches", "show")

_FILE = re.compile(r"file\s+([0-9]{1,18})\s+(\S+)\s+([0-9]{1,18})(?:\s+(.*))?")
_QUERY = re.compile(r"query\s+0(?:\s+(.*))?")
_GLUED_FILE = re.compile(rb"file [0-9]{1,18} (\S+) [0-9]{1,18} \S")
_GLUED_QUERY = re.compile(rb"query 0(?: .*)?\r?\n?\Z")
_WHITESPACE_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Greeting:
    """`moss 12345`: the user's id."""

    user: str


@dataclass(frozen=True, slots=True)
class Option:
    """An option with its value, such as `maxmatches 10`."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class LanguageQuestion:
    """`language java`: the only line besides the query that is answered."""

    name: str


@dataclass(frozen=True, slots=True)
class FileHeader:
    """`file 1 java 120 a.java`: 120 bytes of a file follow."""

    program: int
    language: str
    size: int
    name: str


@dataclass(frozen=True, slots=True)
class Query:
    """`query 0 comment`: all files are sent, compare them."""

    comment: str


@dataclass(frozen=True, slots=True)
class Goodbye:
    """`end`: the conversation is over."""


Command = Greeting | Option | LanguageQuestion | FileHeader | Query | Goodbye


def parse(line: bytes) -> Command | None:
    """The command in a line, with any line ending, or None if it is no command."""
    text = decoded(line).strip()
    keyword, _, rest = text.partition(" ")
    match keyword:
        case "moss":
            return Greeting(shown(rest))
        case "language":
            return LanguageQuestion(shown(rest))
        case "end":
            return None if rest else Goodbye()
        case "file" if found := _FILE.fullmatch(text):
            return FileHeader(int(found[1]), found[2], int(found[3]), tidy_name(found[4] or ""))
        case "query" if found := _QUERY.fullmatch(text):
            return Query(shown(found[1] or ""))
    return _option(keyword, rest) if keyword in OPTIONS else None


def _option(name: str, value: str) -> Option | None:
    return Option(name, int(value)) if re.fullmatch(r"\s*[0-9]{1,18}", value) else None


def split_glued(line: bytes, is_language: Callable[[str], bool]) -> tuple[bytes, bytes]:
    """Split a line into the rest of a file and the command behind it, which is empty if there is none.

    Some clients count characters where they send bytes. Then the file is longer than they said, and the rest of it
    comes before the next command, on the same line unless the file ends with a line break.
    """
    for found in _GLUED_FILE.finditer(line):
        if is_language(decoded(found[1])):
            return line[: found.start()], line[found.start() :]
    query = _GLUED_QUERY.search(line)
    return (line[: query.start()], line[query.start() :]) if query else (line, b"")


def decoded(text: bytes) -> str:
    """Decode UTF-8 or, if it is not valid, Latin-1, in which every byte is a letter."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("latin-1")


def tidy_name(name: str) -> str:
    """A name without whitespace, because readers of reports take a blank for its end."""
    return _WHITESPACE_OR_CONTROL.sub("_", name.strip().replace("\\", "/")) or "unnamed"


def shown(text: str) -> str:
    """A text without control characters."""
    return _CONTROLS.sub(" ", text).strip()
