"""Zip archives as entries, each member inflated in memory and only as far as the limits allow."""

from __future__ import annotations

import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import BinaryIO

from moss.intake.archives.bounded import Metered, within_ratio
from moss.intake.encodings import guess_alphabet
from moss.intake.entries import CHUNK, NO_NAME, Entry, UnreadableError, too_many_entries
from moss.intake.limits import IntakeRun
from moss.intake.names import displayable, member_path
from moss.messages import gettext as _

_UTF8_FLAG = 0x800
_ENCRYPTED = 0x1
_CENTRAL_HEADER = b"PK\x01\x02"

_CODE_PAGES = ("cp437", "cp850", "cp1252")
"""The encodings in which programs write Latin names without saying which; the first is the one that they should use."""
_LOOKED_AT = 1000  # names that decide on the encoding of all
_CAPITAL_INSIDE = re.compile("(?<=[a-zà-öø-ÿ])[À-ÖØ-ÞŠŒŽŸ]")  # as in JoÆo, which is no name


def zip_entries(file: BinaryIO, run: IntakeRun) -> Iterator[Entry]:
    """All members of a zip archive, those that will not be read with the reason."""
    if _central_headers(file) > max(0, run.limits.entries - run.entries):
        # Counted before the table of contents is loaded, because its records take far more room in memory.
        yield Entry("", refusal=too_many_entries(run.limits.entries))
        return
    meter = Metered(file)
    try:
        archive = zipfile.ZipFile(meter)
    except Exception:  # the parser meets hostile bytes, and raises whatever they lead it to
        yield Entry("", refusal=_("a damaged zip archive that cannot be unpacked"))
        return
    code_page = _code_page(archive.infolist())
    for member in archive.infolist():
        run.may_look()
        yield _entry(archive, member, code_page, meter, run.limits.ratio)


def _central_headers(file: BinaryIO) -> int:
    file.seek(0)
    count, tail = 0, b""
    while chunk := file.read(16 * CHUNK):
        count += (tail + chunk).count(_CENTRAL_HEADER)
        tail = chunk[-3:]
    return count


def _entry(archive: zipfile.ZipFile, member: zipfile.ZipInfo, code_page: str, meter: Metered, ratio: int) -> Entry:
    name = _name(member, code_page)
    try:
        path = member_path(name)
    except UnreadableError as refused:
        return Entry(displayable(name), refusal=refused.reason, nameless=True)
    if name.endswith(("/", "\\")):
        return Entry(path)
    if not path:
        return Entry(displayable(name) or "?", refusal=_(NO_NAME), nameless=True)
    if reason := _refusal(member):
        return Entry(path, refusal=reason)
    return Entry(path, _chunks(archive, member, meter, ratio), claimed=member.file_size, modified=_date(member))


def _date(member: zipfile.ZipInfo) -> datetime | None:
    """When a member was changed last, by the clock of the machine that packed it; the first day means nothing."""
    try:
        return datetime(*member.date_time) if member.date_time > (1980, 1, 1, 0, 0, 0) else None
    except ValueError:
        return None


def _name(member: zipfile.ZipInfo, code_page: str) -> str:
    raw = _undeclared(member)
    return raw.decode(code_page, "replace") if raw else _declared(member)


def _declared(member: zipfile.ZipInfo) -> str:
    """The name of a member in UTF-8, whether or not its flag says so."""
    # The library cuts `filename` at a NUL, and without the flag has read it as CP437, of which every byte survives.
    if member.flag_bits & _UTF8_FLAG:
        return member.orig_filename
    return member.orig_filename.encode("cp437").decode("utf-8")


def _undeclared(member: zipfile.ZipInfo) -> bytes:
    """The bytes of a name whose encoding is not known; none if it is UTF-8."""
    try:
        _declared(member)
    except UnicodeDecodeError:
        return member.orig_filename.encode("cp437")
    return b""


def _code_page(members: Sequence[zipfile.ZipInfo]) -> str:
    """The encoding that makes the names of an archive look most like names, all together: one letter alone can be a
    letter in each of them."""
    undeclared = (name for member in members if (name := _undeclared(member)))
    names = dict.fromkeys(islice(undeclared, _LOOKED_AT))
    if guess := guess_alphabet(b"\n".join(names)):
        return guess
    return min(_CODE_PAGES, key=lambda page: sum(_oddity(name.decode(page, "replace")) for name in names))


def _oddity(name: str) -> int:
    """How much in a name is unusual where letters are Latin: signs, other letters, and capitals inside words."""
    odd = sum(not _is_latin(letter) for letter in name if letter > "\x7f")
    return 3 * odd + len(_CAPITAL_INSIDE.findall(name))


def _is_latin(letter: str) -> bool:
    return unicodedata.category(letter) in ("Lu", "Ll") and unicodedata.name(letter).startswith("LATIN")


def _refusal(member: zipfile.ZipInfo) -> str:
    mode = member.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return _("refused, because it is a link or a device")
    if member.flag_bits & _ENCRYPTED:
        return _("encrypted, so it cannot be read")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # The library inflates the rarer methods without any bound.
        return _("compressed with a method that is not supported")
    return ""


def _chunks(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, meter: Metered, ratio: int
) -> Callable[[], Iterator[bytes]]:
    def inflated() -> Iterator[bytes]:
        try:
            with archive.open(member) as stream:
                while chunk := stream.read(CHUNK):
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError):
            raise UnreadableError(_("damaged inside the archive, so it cannot be read")) from None

    return lambda: within_ratio(inflated(), meter, ratio)
