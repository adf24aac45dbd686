"""Text made safe to look at: what would be invisible, or would lie about its order, is shown by its name.

A zero-width space in a name, a NUL, half a surrogate pair or an override that makes a line read backwards never
reaches the page as itself. In its place stands a small box with its number, and the number again as data, so that
the original can be read back from the page to the character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from markupsafe import Markup

from moss.messages import gettext

_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)

_SEEN = bytes(code for code in range(128) if not _UNSEEN.match(chr(code)))  # of ASCII

_SHORT = 200  # characters

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
_ESCAPED = re.compile("[&<>\"']")


def escape(text: str) -> str:
    """The text as markup, as by `html.escape`. Pages have very many short texts, and most have nothing to escape."""
    return text.translate(_ESCAPES) if _ESCAPED.search(text) else text


def visible(text: str) -> Markup:
    """The text escaped, with each unseen character as a labelled box."""
    return _short(text) if len(text) <= _SHORT else Markup(visible_markup(text))


@lru_cache(maxsize=4096)  # names of people and files come again and again
def _short(text: str) -> Markup:
    return Markup(visible_markup(text))


def visible_markup(text: str) -> str:
    """The text as `visible` makes it, and a string by type: for pages that are put together in Python."""
    return _with_boxes(text, escape)


@lru_cache(maxsize=4096)
def isolated(name: str) -> str:
    """A name in a list, which must not turn the order of its neighbours round: names of ASCII letters cannot."""
    return escape(name) if name.isascii() and name.isprintable() else f"<bdi>{visible(name)}</bdi>"


def writer(text: str) -> Callable[[str], str]:
    """A function that makes markup of slices of this text, the fast one if the text has no unseen characters.

    The markup is for the content of elements, where quotes and > stand for themselves, and not for attributes."""
    return _content_with_boxes if _has_unseen(text) else _content


def _has_unseen(text: str) -> bool:
    """Whether a text has unseen characters; of ASCII, which most programs are, that is found ten times as fast."""
    if text.isascii():
        return bool(text.encode("ascii").translate(None, delete=_SEEN))
    return _UNSEEN.search(text) is not None


def _content(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _content_with_boxes(text: str) -> str:
    return _with_boxes(text, _content)


def visible_plain(text: str) -> str:
    """The text for places where markup is not possible, such as titles and labels."""
    return _UNSEEN.sub(lambda found: f"[{_number(found[0])}]", text)


def _with_boxes(text: str, escaped: Callable[[str], str]) -> str:
    if text.isascii() and text.isprintable():
        return escaped(text)
    markup: list[str] = []
    done = 0
    for found in _UNSEEN.finditer(text):
        markup += escaped(text[done : found.start()]), _box(found[0])
        done = found.end()
    return "".join([*markup, escaped(text[done:])])


def _number(char: str) -> str:
    return f"U+{ord(char):04X}"


@lru_cache(maxsize=256)
def _box(char: str) -> str:
    other = gettext("control character") if unicodedata.category(char) == "Cc" else gettext("not a character")
    name = unicodedata.name(char, other)
    return f'<span class="unseen" data-char="{ord(char):x}" title="{name}">{_number(char)}</span>'
