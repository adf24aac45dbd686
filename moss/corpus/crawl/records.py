"""Records of crawls as documents: lines of JSON, rows of Parquet, pages of WARC."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from typing import Any

import orjson

from frontends import HTML, UnknownLanguageError, by_name
from moss.corpus.crawl.pages import can_tell, decoded, looks_like_html, main_text, tongue_code, tongue_of
from moss.corpus.crawl.warc import FetchedPage, WarcRecord, fetched
from moss.corpus.ingest.documents import PROSE, CorpusDocument
from moss.intake.names import displayable
from moss.model import Problem

_NOT_FETCHED = ("dns:", "whois:", "metadata:")  # what crawlers note as if it were pages, their own logs among it
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_NO_READING = ("text/css", "text/javascript", "text/ecmascript")  # parts of pages, which nobody reads as texts


@dataclass(frozen=True)
class ReadingChoice:
    """How whoever adds a crawl wants it read: which fields of its records are which, and what to leave out."""

    text: str = ""  # the names of fields; without one the usual ones
    html: str = ""
    address: str = ""
    date: str = ""
    whole_pages: bool = False  # keep pages of HTML as they are
    tongues: tuple[str, ...] = ()  # only documents in these languages

    @cached_property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """For each thing to know the fields that may say it, the first that is there is believed."""
        return {
            "text": (self.text,) if self.text else ("text", "content", "raw_content", "body"),
            "html": (self.html,) if self.html else ("html",),
            "address": (self.address,) if self.address else ("url", "address", "uri"),
            "date": (self.date,) if self.date else ("date", "timestamp", "crawl_date", "created"),
            "language": ("language", "lang"),
        }


AS_USUAL = ReadingChoice()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A document in a language that was not asked for."""

    address: str


CrawlItem = CorpusDocument | Problem | LeftOut
"""A document, or why a record is none."""


def content_of(text: str) -> tuple[int, int]:
    """One number for a text, and its size. (The digest of a file's bytes would not do: a notebook's cells and its JSON
    are two texts.)"""
    content = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(sha256(content).digest()[:8], "big"), len(content)


def of_line(line: bytes, where: str, choice: ReadingChoice) -> CorpusDocument | Problem:
    """The document in a line of JSON."""
    try:
        record = _loaded(line)
    except (ValueError, RecursionError):
        return Problem(where, "not a document: not an object in JSON")
    if not isinstance(record, dict):
        return Problem(where, "not a document: not an object in JSON")
    return of_fields(record, where, choice)


def _loaded(line: bytes) -> Any:
    """The value of a line of JSON. What the fast parser refuses (NaN, half of a character, other encodings than UTF-8)
    may still be read by the other."""
    try:
        return orjson.loads(line)
    except ValueError:
        return json.loads(line)


def of_fields(record: dict[str, Any], where: str, choice: ReadingChoice) -> CorpusDocument | Problem:
    """The document that a record's fields make."""
    try:
        return _of_fields(record, where, choice)
    except ValueError as error:
        return Problem(where, f"not a document: {error}")


def _of_fields(record: dict[str, Any], where: str, choice: ReadingChoice) -> CorpusDocument:
    text, page, where_said, date_said, language_said = [_first(record, names) for names in choice.fields.values()]
    if isinstance(text, bytes):  # a column of Parquet that does not say that it is text
        text = decoded(text, "")
    if isinstance(page, bytes):
        page = decoded(page, "")
    if page is None and text is None:
        raise ValueError(f'it has no "{choice.text or "text"}"')
    if page is None and not isinstance(text, str):
        raise ValueError(f'its "{choice.text or "text"}" is not a text')
    if page is not None and not isinstance(page, str):
        raise ValueError(f'its "{choice.html or "html"}" is not a text')
    address = where if where_said is None else where_said
    if not isinstance(address, str) or not address:
        raise ValueError('its "url" is not a text')
    date = date_of(date_said)
    tongue = tongue_code(language_said)
    if page is not None:
        return _page(page, displayable(address), date, tongue, choice)
    language = _front_end(language_said)
    return CorpusDocument(
        displayable(address), text, *content_of(text), date, language, dated=date is not None, tongue=tongue
    )


def _first(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        if (value := record.get(name)) is not None:
            return value
    return None


def _page(page: str, address: str, date: datetime | None, tongue: str, choice: ReadingChoice) -> CorpusDocument:
    """A document of a page of HTML: its main text, or the page as it is."""
    text, language = (page, HTML.name) if choice.whole_pages else (main_text(page), PROSE)
    return CorpusDocument(address, text, *content_of(text), date, language, dated=date is not None, tongue=tongue)


def of_warc(record: WarcRecord, where: str, choice: ReadingChoice) -> Iterator[CorpusDocument | Problem]:
    """The document in a record of WARC, and whatever is wrong with it; nothing for a record that is not meant to be one
    (an image, a redirection)."""
    address = record.headers.get("warc-target-uri", "").strip("<>") or where
    if address.lower().startswith(_NOT_FETCHED):
        return
    address = displayable(address)
    if record.refusal:
        yield Problem(address, record.refusal)
        return
    try:
        page = fetched(record)
        document = _of_page(page, address, date_of(record.headers.get("warc-date")), choice)
    except ValueError as error:
        yield Problem(address, f"not a document: {error}")
        return
    if document is not None:
        yield document
        if page.is_cut:
            yield Problem(address, "the crawler has only its beginning, which is added")


def _of_page(page: FetchedPage, address: str, date: datetime | None, choice: ReadingChoice) -> CorpusDocument | None:
    """The document of what a server answered; None if it is not meant to be one."""
    if page.status != 200:
        return None
    if page.media_type in _HTML_TYPES or (not page.media_type and looks_like_html(page.body)):
        return _page(decoded(page.body, page.charset), address, date, "", choice)
    if not page.media_type.startswith("text/") or page.media_type in _NO_READING:
        return None
    text = decoded(page.body, page.charset)
    return CorpusDocument(address, text, *content_of(text), date, PROSE, dated=date is not None)


def with_tongue(document: CorpusDocument, choice: ReadingChoice, tell: bool) -> CorpusDocument | LeftOut:
    """The document with its human language, which is found out if `tell` or if only some languages are wanted."""
    if not document.tongue and (choice.tongues or (tell and can_tell())):
        document = replace(document, tongue=tongue_of(document.text))
    return document if not choice.tongues or document.tongue in choice.tongues else LeftOut(document.address)


def _front_end(name: Any) -> str:
    """The name of a front end, if this is one; crawls use the field for human languages, too."""
    try:
        return by_name(name).name if isinstance(name, str) else PROSE
    except UnknownLanguageError:
        return PROSE


def date_of(value: Any) -> datetime | None:
    """A time in ISO's form or in seconds since 1970; without a zone it is taken as UTC. Raises ValueError for anything
    else."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        date = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError, OverflowError, OSError):
        raise ValueError('its "date" is not a time such as 2024-05-31T12:00:00') from None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
