"""Documents that are zip archives of XML, as those of word processors and e-books are: read member by member, within
the limits that hold for archives, and parsed without entities or deep nesting, which only bombs have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from typing import Protocol
from xml.parsers import expat

from moss.intake.archives.zip import zip_entries
from moss.intake.entries import Entry, UnreadableError
from moss.intake.limits import IntakeRun, Limits, human_size
from moss.messages import gettext as _
from moss.messages import number

DEEPEST = 2000  # elements inside elements


class Package:
    """The members of such an archive, each inflated when it is asked for."""

    def __init__(self, content: bytes, limits: Limits) -> None:
        self._limits = limits
        self._left = limits.submission_bytes
        self._entries: dict[str, Entry] = {}
        for entry in zip_entries(BytesIO(content), IntakeRun(limits)):
            if not entry.path:
                raise UnreadableError(_("a document that cannot be opened: %(why)s", why=entry.refusal))
            self._entries.setdefault(entry.path, entry)

    def names(self, start: str = "") -> list[str]:
        """The paths of its files that begin so, in the order of their names."""
        return sorted(name for name, entry in self._entries.items() if name.startswith(start) and entry.chunks)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def read(self, name: str) -> bytes:
        """The content of a member, nothing if there is none; raises UnreadableError at every limit."""
        entry = self._entries.get(name)
        if entry is None:
            return b""
        if entry.refusal or entry.chunks is None:
            raise UnreadableError(
                _("a document that cannot be read: %(why)s", why=entry.refusal or _("its text is missing"))
            )
        return b"".join(self._bounded(entry.chunks()))

    def _bounded(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._left -= len(chunk)
            if self._left < 0:
                most = human_size(self._limits.submission_bytes)
                raise UnreadableError(_("a document that unpacks to more than the limit of %(limit)s", limit=most))
            yield chunk


class XmlHandler(Protocol):
    """Is told what stands in a document of XML; names come without their name spaces."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, data: str) -> None:
        """A piece of text stands here."""


def parse_xml(content: bytes, handler: XmlHandler) -> None:
    """Tell a handler all that stands in a document of XML; raises UnreadableError if that is damaged or a bomb."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise UnreadableError(
                _("a document whose elements are nested more than %(n)s deep, not read", n=number(DEEPEST))
            )
        handler.start(_local(name), {_local(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(_local(name))

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, handler.text
    parser.EntityDeclHandler = _refuse_entities
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise UnreadableError(_("a damaged document, not read (%(error)s)", error=error)) from None


def _refuse_entities(*_given: object) -> None:
    raise UnreadableError(_("a document that defines XML entities, which are not safe to read"))


@lru_cache(maxsize=1000)
def _local(name: str) -> str:
    return name.rpartition(" ")[2]
