"""Help in the reader's language: paragraphs of commands and options are messages, and so are click's own sentences.

Help stands in docstrings and in the arguments of options, where no call can mark it, so it is translated when a command
is looked up. A message is a paragraph in one line; examples, which click leaves as they are, stay as they are.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

from moss.messages import DOMAIN, language_digest, looked_up

_AS_IT_IS = "\b"  # begins a paragraph that click does not wrap


def speak(group: click.Group) -> None:
    """Let a group, and click itself, speak the language that the environment names; raises CatalogueError."""
    if not language_digest():
        return
    os.environ["LANGUAGE"] = os.environ.get("MOSS_LOCALE", "")  # where click looks for it, by Python's gettext
    gettext.bindtextdomain(DOMAIN, os.environ.get("MOSS_CATALOGUES", "catalogues"))
    gettext.textdomain(DOMAIN)
    group.help = in_words(group.help or "")
    _translate_options(group)


def translate(command: click.Command) -> click.Command:
    """Put the help of a command into the reader's language, with that of its options and of the commands in it."""
    if language_digest():
        command.help = in_words(command.help or "")
        _translate_options(command)
        for inner in command.commands.values() if isinstance(command, click.Group) else ():
            translate(inner)
    return command


def _translate_options(command: click.Command) -> None:
    for option in command.params:
        if isinstance(option, click.Option) and option.help:
            option.help = in_words(option.help)


def in_words(help: str) -> str:
    """A help text in the reader's language.

    >>> in_words("Compare\\nsubmissions.\\n\\n\\b\\n    moss compare\\n    hw1/")
    'Compare submissions.\\n\\n\\x08\\n    moss compare\\n    hw1/'
    """
    return "\n\n".join(text if text.startswith(_AS_IT_IS) else looked_up(text) for text in _paragraphs(help))


def _paragraphs(help: str) -> Iterator[str]:
    for text in cleandoc(help).split("\n\n"):
        yield text if text.startswith(_AS_IT_IS) or "\n" not in text else " ".join(text.split())


def texts_of(command: click.Command) -> Iterator[str]:
    """The help of a command, of its options, and of the commands in it, as far as they are shown."""
    if not command.hidden:
        yield command.help or ""
        yield from (option.help or "" for option in command.params if isinstance(option, click.Option))
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        yield from texts_of(inner)


def extract(*_: Any, **__: Any) -> Iterator[tuple[int, str, Any, list[str]]]:
    """All messages of help, and click's own, for `pybabel extract`, which names this function in babel.cfg."""
    from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir

    from moss.cli import COMMANDS, main

    for help in (*texts_of(main), *COMMANDS.summaries.values()):
        for text in filter(None, _paragraphs(help)):
            if not text.startswith(_AS_IT_IS):
                yield 1, "", text, []
    for _file, line, message, comments, _context in extract_from_dir(
        Path(click.__file__).parent, [("**.py", "python")], keywords=DEFAULT_KEYWORDS
    ):
        name = "ngettext" if isinstance(message, tuple) else "gettext"
        yield line, name, message, comments
