"""Archives that a library unpacks as a whole: 7z by py7zr, RAR by the system's libarchive, git bundles by dulwich.

All run in a process of their own (`moss.intake.sandbox`), and give up once more comes out than may. Names are checked
as those of other archives are, and links are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

from moss.intake.archives.bounded import HARMLESS
from moss.intake.entries import CHUNK, NO_NAME, Entry, UnreadableError, too_many_entries, without_extra
from moss.intake.limits import MIB, IntakeRun, Limits, human_size
from moss.intake.names import displayable, member_path
from moss.intake.sandbox import Refused, read_isolated
from moss.messages import gettext as _
from moss.messages import marked

MOST = 512 * MIB  # that comes out of one such archive: all of it is held in memory
_LARGEST = 256 * MIB
_LINK = marked("refused, because it is a link or a device")


class Packed(NamedTuple):
    """An archive as it was handed in."""

    kind: str
    content: bytes


class Member(NamedTuple):
    """A file of an archive, or a folder if it has no content, or one that is refused."""

    name: str
    content: bytes | None = None
    refusal: str = ""


def unpacked_entries(file: BinaryIO, kind: str, run: IntakeRun, most: int) -> Iterator[Entry]:
    """All members of a 7z or RAR archive or a git bundle, those that will not be read with the reason."""
    file.seek(0)
    content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        yield Entry(
            "",
            refusal=_(
                "larger than %(limit)s, the limit for such an archive: unpack it first", limit=human_size(_LARGEST)
            ),
        )
        return
    (found,) = read_isolated(partial(_unpack, run.limits, min(most, MOST)), [Packed(kind, content)], _("an archive"))
    for member in [Member("", refusal=found.reason)] if isinstance(found, Refused) else found:
        if not run.may_look():
            yield Entry("", refusal=too_many_entries(run.limits.entries))
            return
        yield member_entry(*member)


def member_entry(name: str, content: bytes | None, refusal: str = "") -> Entry:
    """A member as an entry, if its name is safe; a folder if it has no content."""
    if not name:
        return Entry("", refusal=refusal or _(NO_NAME))
    try:
        path = member_path(name)
    except UnreadableError as refused:
        return Entry(displayable(name), refusal=refused.reason, nameless=True)
    if refusal or content is None:
        return Entry(path, refusal=refusal)
    return Entry(path, _chunks(content), claimed=len(content))


def _chunks(content: bytes) -> Callable[[], Iterator[bytes]]:
    return lambda: (content[at : at + CHUNK] for at in range(0, len(content), CHUNK))


def _unpack(limits: Limits, most: int, packed: Packed) -> list[Member]:
    unpack = _UNPACKERS[packed.kind]
    allowance = _Allowance(max(HARMLESS, limits.ratio * len(packed.content)), limits.ratio, most)
    try:
        return unpack(packed.content, limits, allowance)
    except (UnreadableError, MemoryError, RecursionError):
        raise
    except ModuleNotFoundError as missing:
        raise without_extra(_(_CALLED[packed.kind]), missing) from None
    except Exception as error:  # the libraries raise whatever hostile bytes lead them to
        raise UnreadableError(
            _("a damaged archive that cannot be unpacked (%(error)s)", error=type(error).__name__)
        ) from None


_CALLED = {"7z": marked("a 7z archive"), "rar": marked("a RAR archive"), "git bundle": marked("a git bundle")}


@dataclass
class _Allowance:
    """How much may come out of an archive."""

    by_ratio: int
    ratio: int
    most: int
    used: int = 0

    def take(self, size: int) -> None:
        """Count what came out; raises UnreadableError once it is too much."""
        self.used += size
        if self.used > self.by_ratio:
            raise UnreadableError(_("refused, because it unpacks to more than %(n)s times its size", n=self.ratio))
        if self.used > self.most:
            raise UnreadableError(
                _("refused, because it unpacks to more than the limit of %(limit)s", limit=human_size(self.most))
            )


def _unpack_7z(content: bytes, limits: Limits, allowance: _Allowance) -> list[Member]:
    import py7zr

    try:
        with py7zr.SevenZipFile(BytesIO(content)) as archive:
            listed = archive.list()
            if archive.needs_password():
                raise py7zr.PasswordRequired
            if len(listed) > limits.entries:
                raise UnreadableError(too_many_entries(limits.entries))
            links = {item.filename for item in archive.files if item.is_symlink or item.is_junction or item.is_socket}
            shelf = _Shelf(allowance)
            archive.extract(targets=[item.filename for item in listed if item.filename not in links], factory=shelf)
    except py7zr.PasswordRequired:
        raise UnreadableError(_("an encrypted archive, so it cannot be read")) from None
    return [
        Member(item.filename, refusal=_(_LINK))
        if item.filename in links
        else Member(item.filename, None if item.is_directory else shelf.content(item.filename))
        for item in listed
    ]


@dataclass
class _Shelf:
    """Where py7zr puts what it unpacks: into memory, as long as there is an allowance."""

    allowance: _Allowance
    files: dict[str, _Slot] = field(default_factory=dict)

    def create(self, filename: str) -> Any:
        self.files[filename] = _Slot(self.allowance)
        return self.files[filename]

    def content(self, name: str) -> bytes:
        return self.files[name].getvalue() if name in self.files else b""


class _Slot(BytesIO):
    def __init__(self, allowance: _Allowance) -> None:
        super().__init__()
        self._allowance = allowance

    def write(self, data: Any) -> int:
        self._allowance.take(len(data))
        return super().write(data)

    def size(self) -> int:
        return len(self.getbuffer())

    def close(self) -> None:
        """Stay readable."""


def _unpack_rar(content: bytes, limits: Limits, allowance: _Allowance) -> list[Member]:
    try:
        import libarchive
    except ModuleNotFoundError:
        raise
    except Exception:  # the package is there, the system's library is not
        raise UnreadableError(_("a RAR archive, not read: this system has no libarchive to unpack it with")) from None
    members: list[Member] = []
    format = "rar5" if content.startswith(b"Rar!\x1a\x07\x01") else "rar"
    try:
        with libarchive.memory_reader(content, format_name=format) as archive:
            for entry in archive:
                if len(members) >= limits.entries:
                    raise UnreadableError(too_many_entries(limits.entries))
                members.append(_rar_member(entry, allowance, members))
    except libarchive.ArchiveError as error:
        members.append(Member("", refusal=_rar_fault(str(error))))
    return members


def _rar_fault(error: str) -> str:
    """Why a RAR archive is not read further, by what libarchive says."""
    if "ncrypt" in error or "passphrase" in error:
        return _("a RAR archive that is encrypted, so it cannot be read")
    if "solid" in error:
        return _("a solid RAR archive, which this system's libarchive cannot read: unpack it first")
    return _("a RAR archive that is damaged, encrypted or split into parts, and only partly read: unpack it first")


def _rar_member(entry: Any, allowance: _Allowance, before: list[Member]) -> Member:
    name = str(entry.pathname)
    if entry.isdir:
        return Member(name)
    if not entry.isfile:
        return Member(name, refusal=_(_LINK))
    if entry.size is None:  # of files that are equal to one before, RAR stores only that they are
        same = next((member for member in before if entry.islnk and member.name == str(entry.linkpath)), None)
        allowance.take(len(same.content or b"") if same else 0)
        unknown = _("not read, because the archive only says that it is the same as another file")
        return Member(name, same.content) if same else Member(name, refusal=unknown)
    pieces = []
    for block in entry.get_blocks():
        allowance.take(len(block))
        pieces.append(bytes(block))
    return Member(name, b"".join(pieces))


def _unpack_bundle(content: bytes, limits: Limits, allowance: _Allowance) -> list[Member]:
    from moss.intake.archives.git import RepositoryFiles, newest_files

    members: list[Member] = []
    for file in newest_files(RepositoryFiles.of_bundle(content)):
        if len(members) >= limits.entries:
            raise UnreadableError(too_many_entries(limits.entries))
        allowance.take(len(file.content))
        members.append(Member(file.path.decode("utf-8", "replace"), file.content, file.refusal))
    return members


_UNPACKERS = {"7z": _unpack_7z, "rar": _unpack_rar, "git bundle": _unpack_bundle}
