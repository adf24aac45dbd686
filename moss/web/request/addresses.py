"""Addresses and forms: links for people outside, the numbers and filters in an address, and messages to the next page.

A number that is too large for any row is refused before a database sees it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

import flask
from flask import Flask, redirect, request, url_for
from werkzeug.routing import IntegerConverter
from werkzeug.wrappers import Response

from frontends import every_frontend
from frontends.language_titles import language_title as language_title  # for pages
from moss.intake.names import displayable
from moss.report.code.visible_text import visible_plain
from moss.store.submissions.lists import SubmissionFilter
from moss.web.request.context import server

_NUMBER = "[0-9]{1,18}"  # below 2^63, the largest that a column can hold
_LONGEST_SEARCH = 200


def outside(endpoint: str, **values: Any) -> str:
    """The whole address of a page, to be sent to somebody."""
    base = server().config.public_url or request.url_root
    return base.rstrip("/") + url_for(endpoint, **values).removeprefix(request.script_root)


def local_path(path: str) -> str:
    """The given path if it is one on this server, to which a visitor can return; else the home page."""
    plain = path.isprintable() and "\\" not in path and path.startswith("/") and not path.startswith("//")
    return path if plain and not urlsplit(path).netloc else "/"


def go_to(path: str) -> Response:
    """Send the browser to a path on this server."""
    return redirect(request.script_root + local_path(path), 303)


def show_once(what: str, text: str) -> None:
    """Hand a secret to the next page that this browser opens."""
    flask.session[f"once-{what}"] = text


def shown_once(what: str) -> str:
    """The secret that the previous page handed on; later pages do not get it."""
    text: str = flask.session.pop(f"once-{what}", "")
    return text


def say(sentence: str, undo: str = "") -> None:
    """Show a sentence on the next page, saying that something is done; `undo` is an address that takes it back."""
    flask.flash(visible_plain(sentence), f"undo {undo}" if undo else "done")


class _RowInteger(IntegerConverter):
    """A number in an address; an address with a larger one does not exist."""

    regex = _NUMBER


def limit_numbers(app: Flask) -> None:
    """Let `<int:…>` in the app's routes stand for numbers that a row can have."""
    app.url_map.converters["int"] = _RowInteger


def number(text: str) -> int:
    """The number, from 0 on, in a field of a form; ValueError for anything else."""
    if not re.fullmatch(_NUMBER, text):
        raise ValueError(f"no number of a row: {text[:30]!r}")
    return int(text)


def numbers(texts: Iterable[str]) -> list[int]:
    """The texts that are numbers, as numbers; others are left out."""
    return [int(text) for text in texts if re.fullmatch(_NUMBER, text)]


def filter_of(arguments: Mapping[str, str]) -> SubmissionFilter:
    """The filter that the arguments of an address ask for."""
    page = arguments.get("page", "")
    return SubmissionFilter(
        search=displayable(arguments.get("search", "").strip())[:_LONGEST_SEARCH],
        role=arguments.get("role", ""),
        problems=arguments.get("problems") == "1",
        page=int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
    )


def address_of(wanted: SubmissionFilter, page: int | None = None) -> dict[str, Any]:
    """The arguments of an address that asks for a filter, and for a page of the list."""
    asked: dict[str, Any] = {
        "search": wanted.search,
        "role": wanted.role,
        "problems": int(wanted.problems),
        "page": page or wanted.page,
    }
    return {name: value for name, value in asked.items() if value and (name, value) != ("page", 1)}


def language_choices() -> list[tuple[str, str]]:
    """The languages that can be read, by their short names, with the names that readers know, in their order."""
    titles = ((frontend.name, language_title(frontend.name)) for frontend in every_frontend())
    return sorted(titles, key=lambda pair: pair[1].casefold())
