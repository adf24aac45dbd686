"""WARC and WET, the files of crawlers (ISO 28500): records of headers and content, one after another.

Of the types of records those are documents that hold what was fetched: `response` (an answer of HTTP), `resource` and
`conversion` (a text that another program made of a page, as in WET files). All others say something about the crawl.

A file may be cut anywhere, so that many processes read it (`warc_records`). The first record of a piece is sought from
its beginning on: the version of a WARC behind an empty line, or a gzip member whose content begins with it. From there
record follows record. Where one is damaged, reading goes on at the next that is found. A page that holds a WARC itself,
and into which a cut happens to fall, gives that one's records as well; nothing is lost.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from moss.corpus.crawl.streams import InflatedMembers, TruncatedError, first_member
from moss.intake.limits import MIB

VERSION = b"WARC/"
_LINE = 64 * 1024  # bytes in a line of headers, at most
_HEADERS = 1000  # lines of headers, at most
_LARGEST = 64 * MIB  # content of a record that is read at all
_PAGES = frozenset({"response", "resource", "conversion"})
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")  # behind the headers of HTTP; some programs store them without returns
_BINARY = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")  # what no page begins with, but all that is compressed
_GZIP = b"\x1f\x8b"
_NOT_READ = {"br": "brotli", "zstd": "Zstandard", "compress": "compress"}


class WarcError(ValueError):
    """A file that is no WARC from here on; the message says why."""


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record: where it begins in its (unpacked) file, its headers in lower case, and its content if it is a page."""

    place: int
    headers: dict[str, str]
    content: bytes = field(repr=False)
    refusal: str = ""  # why the content was not read

    @property
    def is_page(self) -> bool:
        """Whether its content is something that was fetched."""
        return self.headers.get("warc-type", "").lower() in _PAGES


class WarcFile:
    """The records of a file, unpacked, from where it is now."""

    def __init__(self, file: IO[bytes], place: int = 0) -> None:
        self._file, self.place = file, place
        self.begun = place  # where the record begins that is read
        self._ahead = b""  # its first line, if that was read behind the last record

    def _line(self) -> bytes:
        line = self._file.readline(_LINE)
        self.place += len(line)
        if len(line) == _LINE:
            raise WarcError("a line of headers is too long")
        return line

    def __iter__(self) -> Iterator[WarcRecord]:
        while record := self.next():
            yield record

    def next(self) -> WarcRecord | None:
        """The next record; None at the end. Raises WarcError where no record begins, or one ends too early."""
        line, self._ahead = self._ahead, b""
        while not line.strip():
            self.begun = self.place
            if not (line := self._line()):
                return None
        self.begun = self.place - len(line)
        if not line.startswith(VERSION):
            raise WarcError("no record begins there")
        headers = self._headers()
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal()):
            raise WarcError("a record does not say how long it is")
        record = self._record(headers, int(length))
        self._end()
        return record

    def _record(self, headers: dict[str, str], length: int) -> WarcRecord:
        record = WarcRecord(self.begun, headers, b"")
        if record.is_page and length <= _LARGEST:
            return WarcRecord(self.begun, headers, self._content(length))
        self._pass_over(length)
        return WarcRecord(self.begun, headers, b"", f"larger than {_LARGEST // MIB} MB" if record.is_page else "")

    def _end(self) -> None:
        """Read the empty line behind a record, which some writers forget."""
        line = self._line()
        if line.startswith(VERSION):
            self._ahead = line
        elif line.strip():
            raise WarcError("a record is not as long as it says")

    def pass_over_damage(self) -> None:
        """Go to the next record that begins behind an empty line, or to the end."""
        before = VERSION
        while line := self._file.readline(_LINE):
            self.place += len(line)
            if line.startswith(VERSION) and not before.strip():
                self._ahead = line
                return
            before = line

    def _headers(self) -> dict[str, str]:
        found: dict[str, str] = {}
        name = ""
        for _ in range(_HEADERS):
            line = self._line()
            if not line.strip():
                return found
            text = line.decode("utf-8", "replace").strip("\r\n")
            if text[0] in " \t" and name:  # it goes on
                found[name] += f" {text.strip()}"
                continue
            name, _, value = text.partition(":")
            name = name.strip().lower()
            found[name] = value.strip()
        raise WarcError("a record has too many headers")

    def _content(self, length: int) -> bytes:
        content = self._file.read(length)
        self.place += len(content)
        if len(content) < length:
            raise WarcError("it ends in the middle of a record")
        return content

    def _pass_over(self, length: int) -> None:
        while length > 0:
            some = self._content(min(length, MIB))
            length -= len(some)


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """The answer of a server: its body without the transport's wrapping, and what it says it is."""

    body: bytes = field(repr=False)
    media_type: str
    charset: str
    status: int
    is_cut: bool  # whether the crawler has only the beginning of it


def fetched(record: WarcRecord) -> FetchedPage:
    """The page of a record; raises ValueError if its body cannot be unwrapped."""
    is_cut = bool(record.headers.get("warc-truncated"))
    if record.headers.get("warc-type", "").lower() != "response":
        kind = "text/plain" if record.headers.get("warc-type", "").lower() == "conversion" else ""
        media, charset = _media(record.headers.get("content-type", kind))
        return FetchedPage(record.content, media, charset or ("utf-8" if kind else ""), 200, is_cut)
    head, *rest = _BLANK_LINE.split(record.content, 1)
    body = rest[0] if rest else b""
    first, *lines = head.decode("latin-1").splitlines() or [""]
    said = first.split()
    if not first.startswith("HTTP/") or len(said) < 2 or not said[1].isdigit():
        raise ValueError("its answer is not one of HTTP")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    media, charset = _media(headers.get("content-type", ""))
    unwrapped, is_whole = _unwrapped(body, headers)
    return FetchedPage(unwrapped, media, charset, int(said[1]), is_cut or not is_whole)


def _media(content_type: str) -> tuple[str, str]:
    """The type of a content in lower case, and the name of its character set, if it has one."""
    media, *parameters = content_type.split(";")
    said = (parameter.partition("=") for parameter in parameters)
    charset = next((value.strip(" \"'") for name, _, value in said if name.strip().lower() == "charset"), "")
    return media.strip().lower(), charset


_Unwrapped = tuple[bytes, bool]
"""A body, and whether it is whole."""


def _unwrapped(body: bytes, headers: dict[str, str]) -> _Unwrapped:
    """A body without chunks and compression. Crawlers that unwrap it keep the headers, so both are only believed if the
    body agrees."""
    encoding, chunked = headers.get("content-encoding", "").lower(), headers.get("transfer-encoding", "").lower()
    body, is_whole = _without_chunks(body) if "chunked" in chunked else (body, True)
    if encoding in ("gzip", "x-gzip") and body.startswith(_GZIP):
        return _inflated(body, 31)
    if encoding == "deflate" and body[:1] == b"\x78":
        return _inflated(body, 15)
    if _BINARY.search(body[:512]) is None:
        return body, is_whole and (bool(encoding or chunked) or not _is_shorter(body, headers))
    if encoding == "deflate":  # without the header that it should have
        return _inflated(body, -15)
    if encoding in _NOT_READ:
        raise ValueError(f"its answer is compressed by {_NOT_READ[encoding]}, which is not read")
    return body, is_whole


def _is_shorter(body: bytes, headers: dict[str, str]) -> bool:
    """Whether a body is shorter than its server said."""
    length = headers.get("content-length", "")
    return length.isascii() and length.isdecimal() and int(length) > len(body)


def _without_chunks(body: bytes) -> _Unwrapped:
    pieces: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at)
        try:
            size = int(body[at:end].split(b";")[0], 16) if end >= 0 else -1
        except ValueError:
            size = -1
        if size < 0:
            return (b"".join(pieces), False) if pieces else (body, True)
        if size == 0:
            return b"".join(pieces), True
        pieces.append(body[end + 2 : end + 2 + size])
        at = end + 2 + size + 2


def _inflated(body: bytes, wbits: int) -> _Unwrapped:
    content, is_whole = b"", True
    while body:
        try:
            unpacker = zlib.decompressobj(wbits=wbits)
            content += unpacker.decompress(body, _LARGEST + 1 - len(content))
        except zlib.error:
            raise ValueError("the compression of its answer is damaged") from None
        if len(content) > _LARGEST:
            raise ValueError(f"its answer unpacks to more than {_LARGEST // MIB} MB")
        is_whole = unpacker.eof
        body = unpacker.unused_data if unpacker.unused_data.startswith(_GZIP) else b""  # gzip may have several members
    return content, is_whole


_CHUNK = 256 * 1024
_BEFORE = b"\r\n\r\n"
_START = _BEFORE + VERSION

Found = Iterator[tuple[int, WarcRecord | str]]
"""Records with their places, or the reason why none can be read there."""


def warc_records(file: IO[bytes], start: int, end: int, packed: bool) -> Found:
    """The records that begin from `start` on and before `end`."""
    seek, records = (_first_packed, _packed_records) if packed else (_first_plain, _plain_records)
    place = 0 if start == 0 else seek(file, start, end)
    while place is not None and place < end:
        again = None
        for at, record in records(file, place):
            if at >= end:
                return
            yield at, record
            if isinstance(record, str):
                again = seek(file, at + 1, end)
        place = again


def streamed_records(file: IO[bytes]) -> Iterator[WarcRecord | str]:
    """The records of a stream, which can only be read from its beginning, or the reason why one cannot be read."""
    records = WarcFile(file)
    while True:
        try:
            yield from records
            return
        except WarcError as error:
            yield f"damaged: {error}"
            records.pass_over_damage()


def _first_packed(file: IO[bytes], start: int, end: int) -> int | None:
    return first_member(file, start, end, VERSION)


def _packed_records(file: IO[bytes], place: int) -> Found:
    """Records from a place on, up to the first that is damaged."""
    while True:
        member = InflatedMembers(file, place, alone=True)
        try:
            for record in WarcFile(io.BufferedReader(member, MIB)):
                yield place, record
        except (WarcError, TruncatedError) as error:
            yield place, f"damaged: {error}"
            return
        if member.place == place:
            return
        place = member.place


def _first_plain(file: IO[bytes], start: int, end: int) -> int | None:
    place = max(0, start - len(_BEFORE))
    while place + len(_BEFORE) < end:
        file.seek(place)
        block = file.read(_CHUNK)
        at = block.find(_START)
        if at >= 0:
            found = place + at + len(_BEFORE)
            return found if found < end else None
        if len(block) < _CHUNK:
            return None
        place += len(block) - len(_START) + 1
    return None


def _plain_records(file: IO[bytes], place: int) -> Found:
    """Records from a place on, up to the first that is damaged."""
    file.seek(place)
    records = WarcFile(file, place)
    try:
        for record in records:
            yield record.place, record
    except WarcError as error:
        yield records.begun, f"damaged: {error}"
