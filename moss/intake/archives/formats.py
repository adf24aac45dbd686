"""Archives recognised by their content, and opened as entries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import IO, BinaryIO

from moss.intake.archives.bounded import Inflated, Metered, Plain
from moss.intake.archives.git import RepositoryFiles, check_out, history_entry
from moss.intake.entries import CHUNK, Entry, UnreadableError, without_extra
from moss.intake.ignored import prune
from moss.intake.limits import IntakeRun
from moss.intake.names import without_archive_suffix
from moss.messages import gettext as _

HEAD = 512

_OFFICE_ENDINGS = (
    ".docx", ".docm", ".dotx", ".xlsx", ".xlsm", ".pptx", ".odt", ".ott", ".ods", ".odp", ".odg", ".epub", ".pages",
    ".numbers",
)  # fmt: skip
_KINDS = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",  # an empty one
    b"\x1f\x8b\x08": "gz",
    b"BZh": "bz2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zst",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
    b"# v2 git bundle\n": "git bundle",
    b"# v3 git bundle\n": "git bundle",
}
_NEVER_SOURCE = ("zst", "7z", "rar", "git bundle")  # in a file named as a program, such a beginning hides the program
_STARTS = tuple(_KINDS)


def archive_kind(name: str, head: bytes) -> str:
    """Which archive the first bytes begin, or nothing; office documents are zips that count as documents."""
    kind = next((_KINDS[start] for start in _KINDS if head.startswith(start)), "") if head.startswith(_STARTS) else ""
    if kind == "zip":
        return "" if name.lower().endswith(_OFFICE_ENDINGS) and _is_office(head) else kind
    if kind in _NEVER_SOURCE:
        from frontends import for_path

        return kind if for_path(name) is None else ""
    if kind == "bz2" and head[4:10] != b"1AY&SY":
        return ""
    if not kind and b"\0" in head:
        from moss.intake.archives.tar import is_tar_header

        return "tar" if is_tar_header(head) else ""
    return kind


def _is_office(head: bytes) -> bool:
    # The formats prescribe, or all programs write, these as the first member; a mere zip of that name has neither.
    return head[30:].startswith((b"[Content_Types].xml", b"mimetype", b"_rels/", b"docProps/", b"Index/", b"word/"))


def archive_entries(file: BinaryIO, kind: str, run: IntakeRun, most: int, name: str) -> list[Entry]:
    """Everything in an archive of this name, with bare git repositories in it checked out."""
    return check_out(_entries(file, kind, run, most, name), run)


def _entries(file: BinaryIO, kind: str, run: IntakeRun, most: int, name: str) -> list[Entry]:
    """Everything in an archive of this name, ignored folders reduced to one entry; `most` bounds what it may unpack to,
    if it is no zip. A compressed file that is no archive holds that file."""
    if kind == "zip":
        from moss.intake.archives.zip import zip_entries

        return prune(zip_entries(file, run), run.choice)
    if kind in ("7z", "rar", "git bundle"):
        from moss.intake.archives.unpackers import unpacked_entries

        entries = prune(unpacked_entries(file, kind, run, most), run.choice)
        is_read = kind == "git bundle" and any(entry.chunks for entry in entries)
        return [*entries, history_entry("", partial(_bundle, file))] if is_read else entries
    from moss.intake.archives.tar import is_tar_header, tar_entries

    try:
        tape = Plain(file) if kind == "tar" else Inflated(file, partial(_decompress, kind), run.limits.ratio, most)
        if not is_tar_header(tape.at(0, HEAD)):
            run.may_look()
            return [Entry(_inner_name(name), partial(_all_of, tape))]
    except UnreadableError as refused:
        return [Entry("", refusal=refused.reason)]
    return prune(tar_entries(tape, run), run.choice)


def _bundle(file: BinaryIO) -> RepositoryFiles:
    file.seek(0)
    return RepositoryFiles.of_bundle(file.read())


def _inner_name(name: str) -> str:
    """The name of a compressed file without its suffix: `hw1.py` for `hw1.py.gz`."""
    base = name.rpartition("/")[2]
    return without_archive_suffix(base) or "unnamed"


def _all_of(tape: Inflated | Plain) -> Iterator[bytes]:
    offset = 0
    while piece := tape.at(offset, CHUNK):
        yield piece
        offset += len(piece)


def _decompress(kind: str, meter: Metered) -> IO[bytes]:
    if kind == "gz":
        import gzip

        return gzip.GzipFile(fileobj=meter)  # type: ignore[return-value]
    if kind == "bz2":
        import bz2

        return bz2.BZ2File(meter)
    if kind == "zst":
        try:
            import zstandard
        except ModuleNotFoundError as missing:
            raise without_extra(_("a file compressed by zstandard"), missing) from None
        return zstandard.ZstdDecompressor().stream_reader(meter, read_across_frames=True)  # type: ignore[arg-type]
    import lzma

    return lzma.LZMAFile(meter)  # type: ignore[arg-type]
