"""Pages as the text that their readers came for, without menus, advertisements and footers; and its human language.

Resiliparse finds the main content in a millisecond or two. It is sometimes too strict and takes a page's lists or code
for menus; then everything is taken that is not marked as surroundings. `benchmarks/main_text.py` has the figures.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Any

from moss.corpus.errors import CorpusError
from moss.messages import gettext
from moss.shipped import how_to_install

_SURROUNDINGS = [
    "nav", "header", "footer", "aside", "form", "button", "dialog", "menu", "noscript", "template",
    "[role=navigation]", "[role=banner]", "[role=contentinfo]", "[role=search]", "[role=dialog]", "[hidden]",
    ".nav", ".navbar", ".navigation", ".menu", ".sidebar", ".footer", ".header", ".ad", ".ads", ".advertisement",
    ".banner", ".cookie", ".breadcrumb", ".breadcrumbs", ".pagination", ".share", ".social", ".related", ".teaser",
    ".comments", ".navheader", ".navfooter", ".sphinxsidebar", "#nav", "#menu", "#sidebar", "#footer", "#header",
    "#cookie-banner", "#comments",
]  # fmt: skip
_LEAST = 0.5  # of the text outside the surroundings; less is no main content
_SPACE = re.compile(r"[^\S\n]+")
_META = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.I)
_ENOUGH = 1000  # characters that are looked at: no text needs more, and the time grows with them
_LEAST_LETTERS = 20  # characters without which nothing can be told
_CODE = re.compile(r"([A-Za-z]{2})(?:[-_][A-Za-z0-9]+)*")


def main_text(page: str) -> str:
    """The main text of a page in HTML; raises CorpusError if what reads it is not installed."""
    try:
        from resiliparse.extract.html2text import extract_plain_text
        from resiliparse.parse.html import HTMLTree
    except ModuleNotFoundError:
        raise CorpusError(
            gettext(
                "finding the main text of pages needs more: %(install)s; or use --whole-pages",
                install=how_to_install("crawl"),
            )
        ) from None
    plain = partial(extract_plain_text, HTMLTree.parse(page), list_bullets=False, alt_texts=False, links=False)
    main = plain(main_content=True)
    outside = plain(skip_elements=_SURROUNDINGS)
    return _tidy(main if len(main) >= _LEAST * len(outside) else outside)


def _tidy(text: str) -> str:
    lines = (_SPACE.sub(" ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def decoded(body: bytes, charset: str) -> str:
    """The characters of a page: by what its server said, by what it says itself, or by what they look like."""
    from moss.intake.encodings import decode

    said = _META.search(body[:4096])
    for name in (charset, said[1].decode("ascii") if said else "", "utf-8"):
        try:
            if name:
                return body.decode(name)
        except (LookupError, ValueError):  # a name that no character set can have, or another one's bytes
            continue
    text, _ = decode(body, "")
    return text


def looks_like_html(body: bytes) -> bool:
    """Whether something without a type is a page."""
    head = body[:512].lstrip().lower()
    return head.startswith((b"<!doctype html", b"<html", b"<head", b"<body")) or b"<html" in head


def tongue_of(text: str) -> str:
    """The language that a text is written in; nothing for a text that is too short to tell. Raises CorpusError if what
    tells it is not installed."""
    beginning = " ".join(text[: 4 * _ENOUGH].split())[:_ENOUGH]
    return str(_detector().classify(beginning)[0]) if len(beginning) >= _LEAST_LETTERS else ""


def can_tell() -> bool:
    """Whether what tells languages is installed."""
    try:
        _detector()
    except CorpusError:
        return False
    return True


@cache
def _detector() -> Any:
    try:
        import py3langid
    except ModuleNotFoundError:
        raise CorpusError(
            gettext("detecting languages needs more: %(install)s", install=how_to_install("crawl"))
        ) from None
    return py3langid


def tongue_code(name: object) -> str:
    """The code of a human language that a record names (`en`, `en-GB`); nothing for anything else."""
    found = _CODE.fullmatch(name.strip()) if isinstance(name, str) else None
    return found[1].lower() if found else ""


def checked_tongues(names: tuple[str, ...]) -> tuple[str, ...]:
    """The codes that a user asks for; raises CorpusError for one that is no code of a language that can be told."""
    known = {str(code) for code, _ in _detector().rank("any")} if names else set()
    for name in names:
        if name not in known:
            raise CorpusError(
                gettext(
                    "%(name)r is not the code of a language that can be detected: %(known)s",
                    name=name,
                    known=", ".join(sorted(known)),
                )
            )
    return names
