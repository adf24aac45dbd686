"""Which languages the server says yes to."""

from __future__ import annotations

from frontends import UnknownLanguageError, by_name

AUTOMATIC = "auto"  # by each file's ending


def is_language(name: str) -> bool:
    """Whether a front end has this name or alias; all that the historical script offers are among them."""
    try:
        by_name(name)
    except UnknownLanguageError:
        return name.lower() == AUTOMATIC
    return True
