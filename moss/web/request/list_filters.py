"""Filters of long lists: which submissions a page's address asks for, and the languages to choose from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from frontends import every_frontend
from frontends.language_titles import language_title as language_title  # for pages
from moss.intake.names import displayable
from moss.store.submissions.lists import SubmissionFilter

_LONGEST_SEARCH = 200


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
