"""Records of a WARC that begin between two places of its file, which is cut anywhere to be read by many.

The first is sought from the first place on: the version of a WARC behind an empty line, or a gzip member whose content
begins with it. From there record follows record. Where one is damaged, reading goes on at the next that is found. A
page that holds a WARC itself, and into which a cut happens to fall, gives that one's records as well; nothing is lost.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO

from moss.corpus.crawl.streams import InflatedMembers, TruncatedError, first_member
from moss.corpus.crawl.warc import VERSION, WarcError, WarcFile, WarcRecord
from moss.intake.limits import MIB

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
