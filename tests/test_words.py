"""Plain words: phrases that no colleague would say must not come back, on pages, in help texts and in the docs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import click
import pytest
from support.pseudo_language import messages_of_source

from moss.cli import main

ROOT = Path(__file__).parents[1]

NOT_SAID = [
    r"make the (course|assignment|link)",
    r"with it you log in",
    r"looking what is in it",
    r"laying out what was sent",
    r"all is sent",
    r"(in a|a) lesser way",
    r"set the selected",
    r"handed[- ]out code",
    r"nobody's copying",
    r"^given to\b",
    r"under suspicion",
    r"far above",
    r"each line up is ten times",
    r"common above",
    r"endings mislead",
    r"chosen otherwise",
    r"renewed by a later version",
    r"the other way round",
    r"how many days it holds",
    r"ever, until revoked",
    r"whom they resemble",
    r"look for it in all years",
    r"i have seen them",
    r"^leave it$",
    r"nothing waits",
    r"and it takes two",
    r"the course is here",
    r"or it is not for you",
    r"\bowners?\b",
    r"no terminal\b",
    r"\bpassed over\b",
    r"\bbrings? \S+ along\b",
    r"\bcomes? about\b",
    r"\b(begins?|made|rendered|built|written) anew\b",
    r"\bmust lie between\b",
    r"\bthere is no [^.;]*; there are\b",
    r"\bas it should be\b",
    r"(?<!there )\bis no (bundle|TOML)\b",
    r"\blearn together\b",
    r"\bgoes? on from there\b",
    r"\bnobody's\b",
    r"\bhanded out\b",
    r"\bfile endings?\b",
    r"\bleads? nowhere\b",
    r"\bfrom there on\b",
    r"\bmake (a|an|the) (account|course|token)\b",
    r"\bby which (the|its|a) user\b",
    r"\bdata are\b",
    r"\btakes? it out\b",
]
"""Phrases that read like a translation, or words that the glossary has another one for; as regular expressions."""

PLAIN_PAGES = (
    "README.md", "SECURITY.md", "docs/accounts.md", "docs/api.md", "docs/corpus.md", "docs/crawls.md", "docs/deploy.md",
    "docs/documents.md", "docs/evidence.md", "docs/hearing.md", "docs/history.md", "docs/http-api.md",
    "docs/moving-from-moss.md", "docs/moving-from-other-tools.md", "docs/privacy.md", "docs/reading.md",
    "docs/report.md", "docs/security.md", "docs/translating.md", "docs/upload.md", "docs/webapp.md",
)  # fmt: skip
"""Pages for people who use the program or run a server."""


def said_on_pages() -> Iterator[tuple[str, str]]:
    """Every marked message, with the place where it stands."""
    for message in messages_of_source():
        texts = message.id if isinstance(message.id, tuple) else (message.id,)
        places = ", ".join(f"{file}:{line}" for file, line in message.locations[:1])
        yield from ((places, text) for text in texts if text)


def said_by_help(command: click.Command = main, name: str = "moss") -> Iterator[tuple[str, str]]:
    """The help of every command and option."""
    if not command.hidden:
        yield name, re.sub(r"^ {4}.*$", "", cleandoc(command.help or ""), flags=re.MULTILINE)  # examples are typed
        for parameter in command.params:
            yield f"{name} {parameter.name}", getattr(parameter, "help", None) or ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            if found is not None:
                yield from said_by_help(found, f"{name} {each}")


def said_in_docs() -> Iterator[tuple[str, str]]:
    """The pages for users, without what is typed or stored: code, and words in back quotes."""
    for name in PLAIN_PAGES:
        text = re.sub(r"```.*?```|`[^`]*`", "", (ROOT / name).read_text(), flags=re.DOTALL)
        yield name, " ".join(text.split())


@pytest.mark.parametrize("said", [said_on_pages, said_by_help, said_in_docs])
def test_nobody_says_it_like_this_again(said):
    found = [
        f"{place}: {match[0]!r}"
        for place, text in said()
        for phrase in NOT_SAID
        if (match := re.search(phrase, text, re.IGNORECASE))
    ]
    assert found == []
