"""Ways to rewrite a program so that nobody sees whose it is: what an editor can do without understanding it.

Each takes a text and whether its language has braces (C, C++, Java and the like) or none (Python). Whether the result
still compiles does not matter here.
"""

from __future__ import annotations

import keyword
import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

Rewrite = Callable[[str, random.Random, bool], str]

_STRING = r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
_DOCSTRING = r'^[ \t]*[rRuU]?(?:"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\')[ \t]*$'
_COMMENT = {True: r"/\*[\s\S]*?\*/|//[^\n]*", False: rf"{_DOCSTRING}|#[^\n]*"}
_KEPT = """
abstract assert auto bool boolean break byte case catch char class const continue default define delete do double else
enum extends extern final finally float for friend goto if implements import include inline instanceof int interface
long main namespace new null nullptr operator package print printf private protected public register return scanf short
signed sizeof static String struct super switch synchronized System template this throw throws transient true false try
typedef typename union unsigned using virtual void volatile while out println self
"""
_DISGUISED = """
auto break case char const continue default do double else enum extern float for goto if int long return short signed
sizeof static struct switch typedef union unsigned void volatile while ( ) { } ;
"""
_FREE = frozenset([*_KEPT.split(), *keyword.kwlist])
_OPENING, _CLOSING = "([{", ")]}"


def _each_comment(text: str, braces: bool, change: Callable[[str], str]) -> str:
    """The text with each comment changed; what stands in a string is none."""
    either = re.compile(rf"(?P<comment>{_COMMENT[braces]})|{_STRING}", re.MULTILINE)
    return either.sub(lambda match: match[0] if match["comment"] is None else change(match[0]), text)


def verbatim(text: str, chance: random.Random, braces: bool) -> str:
    """As it is."""
    return text


def renamed(text: str, chance: random.Random, braces: bool) -> str:
    """Every name another one, the same everywhere; comments gone, laid out anew."""
    new: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        word = match[0]
        return word if word[0] in "\"'" or word in _FREE else new.setdefault(word, f"q{len(new)}{chance.choice('abc')}")

    text = re.sub(rf"{_STRING}|\b[A-Za-z_]\w*\b", name, _each_comment(text, braces, lambda comment: ""))
    return "\n".join(line.replace("    ", "\t") for line in text.splitlines() if line.strip())


def relabelled(text: str, chance: random.Random, braces: bool) -> str:
    """Other strings, numbers and types."""
    text = re.sub(_STRING, lambda match: f'"{chance.randrange(10**6)}"', text)
    text = re.sub(r"\b\d+\b", lambda match: str(chance.randrange(100)), text)
    return re.sub(r"\b(int|float)\b", lambda match: {"int": "long", "float": "double"}[match[1]], text)


def split(text: str, chance: random.Random, braces: bool) -> str:
    """Declarations apart from their first values; in Python values by way of another name."""
    if braces:
        return re.sub(r"^(\s*)(\w+) (\w+) ?= ?([^;\n]+);", r"\1\2 \3;\n\1\3 = \4;", text, flags=re.MULTILINE)
    return re.sub(r"^([ \t]*)(\w+) = ([^\n\[({]+)$", r"\1held = \3\n\1\2 = held", text, flags=re.MULTILINE)


def reordered(text: str, chance: random.Random, braces: bool) -> str:
    """Functions in another order."""
    lines = text.splitlines()
    depth = 1 if re.search(r"^\S*.*\bclass\b[^\n]*\{" if braces else r"^class\b", text, re.MULTILINE) else 0
    start = re.compile(rf"^(?:    |\t){{{depth}}}(?:def |[A-Za-z_][\w<>\[\], ]* \**\w+\s*\([^;]*$)")
    cuts = [i for i, line in enumerate(lines) if start.match(line)]
    if len(cuts) < 3:
        return text
    blocks = [lines[a:b] for a, b in pairwise(cuts)]
    chance.shuffle(blocks)
    return "\n".join([*lines[: cuts[0]], *(line for block in blocks for line in block), *lines[cuts[-1] :]])


def turned(text: str, chance: random.Random, braces: bool) -> str:
    """for becomes while, comparisons change sides, x += y becomes x = x + y."""
    text = re.sub(r"\bfor\s*\(([^;()]*);([^;()]*);([^;()]*)\)\s*\{", r"\1; while (\2) { \3;", text)
    text = re.sub(
        r"^([ \t]*)for (\w+) in range\((\w+)\):", r"\1\2 = -1\n\1while \2 + 1 < \3:", text, flags=re.MULTILINE
    )
    text = re.sub(r"\b(\w+)( ?)<\2(\w+)\b(?![\w\s,]*>)", r"\3\2>\2\1", text)
    return re.sub(r"\b(\w+) ?([+\-*/])= ?", r"\1 = \1 \2 ", text)


def padded(every: int) -> Rewrite:
    """A dead statement behind every so many lines."""

    def pad(text: str, chance: random.Random, braces: bool) -> str:
        lines = text.splitlines()
        dead = dict(_ends_with_braces(lines) if braces else _ends_without(lines))  # place of a statement's end: indent
        padded = list[str]()
        for number, line in enumerate(lines):
            padded.append(line)
            if number % every == 0 and number in dead:
                padded.append(dead[number] + _dead(chance) + (";" if braces else ""))
        return "\n".join(padded)

    return pad


def _dead(chance: random.Random) -> str:
    x, y, z = (chance.randrange(50) for _ in range(3))
    return chance.choice([f"z{x} = {y} + z{z}", f"f{x}(z{y}, {z})", f"z{x} = f{y}({z}) * {x} - z{z}"])


def _ends_with_braces(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines behind which a statement may stand, and how far that is to be indented."""
    for number, line in enumerate(lines):
        if line.rstrip().endswith((";", "{")):
            yield number, _indent(line)


def _ends_without(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines after which a statement may stand where line ends end statements, unless a bracket is open."""
    depth, begin = 0, ""
    for number, line in enumerate(lines):
        bare = re.sub(_STRING, "", line)
        begin = line if depth <= 0 else begin  # of a statement that may go on
        depth += sum(bare.count(sign) for sign in _OPENING) - sum(bare.count(sign) for sign in _CLOSING)
        if bare.strip() and depth <= 0 and not bare.rstrip().endswith("\\") and not bare.lstrip().startswith("@"):
            behind = lines[number + 1] if bare.rstrip().endswith(":") and number + 1 < len(lines) else begin
            yield number, _indent(behind)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def switched(text: str, chance: random.Random, braces: bool) -> str:
    """if becomes switch, in Python match."""
    if not braces:
        text = re.sub(r"^([ \t]*)if (.+):$", r"\1match bool(\2):\n\1 case True:", text, flags=re.MULTILINE)
        text = re.sub(r"^([ \t]*)elif (.+):$", r"\1 case _ if \2:", text, flags=re.MULTILINE)
        return re.sub(r"^([ \t]*)else:$", r"\1 case _:", text, flags=re.MULTILINE)
    text = re.sub(r"\}\s*else if\s*\((.*)\)\s*\{", r"break; default: switch (\1 ? 1 : 0) { case 1:", text)
    text = re.sub(r"\bif\s*\((.*)\)\s*\{", r"switch (\1 ? 1 : 0) { case 1:", text)
    return re.sub(r"\}\s*else\s*\{", "break; default:", text)


def extracted(text: str, chance: random.Random, braces: bool) -> str:
    """Every three statements in a row become a function of their own, which is called in their place. (Putting
    functions in the place of their calls is the same, with original and copy exchanged.)"""
    lines, i = text.splitlines(), 0
    kept, moved, count = list[str](), list[str](), 0
    while i < len(lines):
        three = lines[i : i + 3]
        if (
            len(three) == 3
            and all(_is_statement(line, braces) for line in three)
            and len(set(map(_indent, three))) == 1
        ):
            call = f"part{count}()"
            moved += [f"void {call} {{" if braces else f"def {call}:", *three, *(["}"] if braces else [])]
            kept.append(_indent(three[0]) + call + (";" if braces else ""))
            i, count = i + 3, count + 1
        else:
            kept.append(lines[i])
            i += 1
    return "\n".join([*kept, *moved])


def _is_statement(line: str, braces: bool) -> bool:
    return line.rstrip().endswith(";") if braces else bool(re.match(r"\s+[a-z_][\w.]*(\(| [-+*]?= )[^:]*$", line))


def translated(text: str, chance: random.Random, braces: bool) -> str:
    """Every word of the comments another one, as in another language."""
    words: dict[str, str] = {}

    def other(comment: str) -> str:
        return re.sub(r"[A-Za-z]{2,}", lambda match: words.setdefault(match[0], f"w{len(words)}o"), comment)

    return _each_comment(text, braces, other)


def disguised(text: str, chance: random.Random, braces: bool) -> str:
    """Every keyword, and every sign that encloses or ends something, by another name, as a preprocessor allows."""
    tokens = _DISGUISED.split()
    new: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        token = match[0]
        return f" {new.setdefault(token, f'w{len(new)}')} " if token in tokens else token

    text = _each_comment(text, braces, lambda comment: "")
    body = re.sub(rf"^[ \t]*#[^\n]*$|{_STRING}|\b[A-Za-z_]\w*\b|[{{}}();]", name, text, flags=re.MULTILINE)
    return "".join(f"#define {word} {token}\n" for token, word in new.items()) + body


def part_of(text: str, first: float, last: float) -> str:
    """A part of a text, from one share of its lines to another."""
    lines = text.splitlines(True)
    return "".join(lines[int(len(lines) * first) : int(len(lines) * last)])
