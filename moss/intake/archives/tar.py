"""Tar archives as entries, read header by header.

The standard library's reader follows headers into loops, recursion and slow regular expressions when they are made for
it, and ends silently at a damaged one. The format is small enough to be read here in linear time, with every member
accounted for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from moss.intake.archives.bounded import Inflated, Plain
from moss.intake.entries import CHUNK, NO_NAME, Entry, UnreadableError, too_many_entries
from moss.intake.limits import IntakeRun
from moss.intake.names import displayable, member_path
from moss.messages import gettext as _
from moss.messages import marked, number

BLOCK = 512
LARGEST_NAME_RECORD = 1024 * 1024

_FILE_KINDS = (b"0", b"\0", b"7")
_RECORD_KINDS = (b"L", b"K", b"x", b"g")
_DATALESS_KINDS = (b"1", b"2", b"3", b"4", b"5", b"6")
_REFUSALS = {
    b"1": marked("refused, because it is a link"),
    b"2": marked("refused, because it is a link"),
    b"3": marked("refused, because it is a device"),
    b"4": marked("refused, because it is a device"),
    b"6": marked("refused, because it is a pipe"),
}
_OTHER = marked("refused, because it is not an ordinary file")


@dataclass(frozen=True, slots=True)
class Header:
    """One member as its header describes it."""

    name: str
    kind: bytes
    size: int
    modified: bytes  # seconds since 1970


def tar_entries(tape: Inflated | Plain, run: IntakeRun) -> Iterator[Entry]:
    """All members of a tar archive; where it is damaged, an entry for the archive itself says so."""
    offset, lead = 0, 0
    records: dict[str, str] = {}  # what extended headers say about the next member
    try:
        while (header := _header(tape.at(offset - lead, lead + BLOCK), lead, offset)) is not None:
            start, size = offset + BLOCK, int(records.get("size", header.size))
            if header.kind in _RECORD_KINDS:
                records |= _records(header.kind, tape, start, header.size)
                size = header.size
            else:
                if not run.may_look():
                    raise UnreadableError(too_many_entries(run.limits.entries))
                yield _entry(header, records, tape, start, size)
                records = {}
            length = 0 if header.kind in _DATALESS_KINDS else -(-size // BLOCK) * BLOCK
            offset, lead = start + length, int(length > 0 and header.kind not in _RECORD_KINDS)
    except UnreadableError as refused:
        yield Entry("", refusal=refused.reason)


def is_tar_header(block: bytes) -> bool:
    """Whether the block is a tar header, judged by its checksum."""
    try:
        return (
            len(block) >= BLOCK
            and block[0] != 0
            and sum(block[:148], 256) + sum(block[156:BLOCK]) == _number(block[148:156])
        )
    except UnreadableError:
        return False


def _header(block: bytes, lead: int, offset: int) -> Header | None:
    # Many writers leave out the closing blocks of zeros, so a clean end of the file is an end as well. It is clean if
    # the byte before it, the last one of the member that was passed over, is there.
    whole, block = len(block) >= lead, block[lead:]
    if whole and not block.strip(b"\0") and len(block) in (0, BLOCK):
        return None
    if not is_tar_header(block):
        raise UnreadableError(
            _("the tar archive is damaged or cut off at byte %(n)s, so the rest was not read", n=number(offset))
        )
    name = block[:100].rstrip(b"\0")
    if block[257:263] == b"ustar\0" and (prefix := block[345:500].rstrip(b"\0")):
        name = prefix + b"/" + name
    return Header(_text(name), block[156:157], _number(block[124:136]), block[136:148])


def _number(field: bytes) -> int:
    try:
        if field[0] == 0x80:
            return int.from_bytes(field[1:], "big")
        value = int(field.strip(b" \0") or b"0", 8)
    except ValueError:
        value = -1
    if value < 0:
        raise UnreadableError(_("the tar archive is damaged, so the rest was not read"))
    return value


def _text(name: bytes) -> str:
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("latin-1")


def _records(kind: bytes, tape: Inflated | Plain, start: int, size: int) -> dict[str, str]:
    if size > LARGEST_NAME_RECORD:
        raise UnreadableError(
            _("the tar archive has an extended header that is far too large, so the rest was not read")
        )
    content = tape.at(start, size)
    if len(content) < size:
        raise UnreadableError(_("the tar archive is damaged or cut off inside an extended header"))
    if kind == b"L":
        return {"path": _text(content.rstrip(b"\0"))}
    return _pax_records(content) if kind == b"x" else {}  # global headers and link targets say nothing we need


def _pax_records(content: bytes) -> dict[str, str]:
    records: dict[str, str] = {}
    position = 0
    while position < len(content):
        digits, space, _rest = content[position : position + 20].partition(b" ")
        if not space or not digits.isdigit() or not len(digits) + 1 < int(digits) <= len(content) - position:
            raise UnreadableError(_("the tar archive has a damaged extended header, so the rest was not read"))
        record = content[position + len(digits) + 1 : position + int(digits)].rstrip(b"\n")
        key, _sign, value = record.partition(b"=")
        records[_text(key)] = _text(value)
        position += int(digits)
    if not re.fullmatch("[0-9]{1,19}", records.get("size", "0")):
        raise UnreadableError(_("the tar archive has a damaged extended header, so the rest was not read"))
    return records


def _entry(header: Header, records: dict[str, str], tape: Inflated | Plain, start: int, size: int) -> Entry:
    name = records.get("path", header.name)
    try:
        path = member_path(name)
    except UnreadableError as refused:
        return Entry(displayable(name), refusal=refused.reason, nameless=True)
    if header.kind == b"5" or (header.kind in _FILE_KINDS and name.endswith("/")):
        return Entry(path)
    if not path:
        return Entry(displayable(name) or "?", refusal=_(NO_NAME), nameless=True)
    if header.kind not in _FILE_KINDS or any(key.startswith("GNU.sparse.") for key in records):
        return Entry(path, refusal=_(_REFUSALS.get(header.kind, _OTHER)))
    return Entry(path, _chunks(tape, start, size), position=start, claimed=size, modified=_date(header.modified))


def _date(field: bytes) -> datetime | None:
    try:
        seconds = _number(field)
        return datetime.fromtimestamp(seconds, UTC) if seconds else None
    except (UnreadableError, ValueError, OverflowError, OSError):  # no reason to leave the file unread
        return None


def _chunks(tape: Inflated | Plain, start: int, size: int) -> Callable[[], Iterator[bytes]]:
    def chunks() -> Iterator[bytes]:
        for offset in range(0, size, CHUNK):
            chunk = tape.at(start + offset, wanted := min(CHUNK, size - offset))
            if len(chunk) < wanted:
                raise UnreadableError(_("cut off, because the archive ends in the middle of it"))
            yield chunk

    return chunks
