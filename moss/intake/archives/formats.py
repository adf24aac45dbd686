"""Archives recognised by their content, and opened as entries."""

from __future__ import annotations

from functools import partial
from typing import IO, BinaryIO

from moss.intake.archives.bounded import Inflated, Metered, Plain
from moss.intake.entries import Entry, UnreadableError
from moss.intake.ignored import prune
from moss.intake.limits import Run

HEAD = 512

_OFFICE_ENDINGS = (
    ".docx", ".docm", ".xlsx", ".xlsm", ".pptx", ".odt", ".ods", ".odp", ".odg", ".epub", ".pages", ".numbers",
)  # fmt: skip
_KINDS = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",  # an empty one
    b"\x1f\x8b\x08": "gz",
    b"BZh": "bz2",
    b"\xfd7zXZ\0": "xz",
}
_STARTS = tuple(_KINDS)


def archive_kind(name: str, head: bytes) -> str:
    """Which archive the first bytes begin, or nothing; office documents are zips that count as documents."""
    kind = next((_KINDS[start] for start in _KINDS if head.startswith(start)), "") if head.startswith(_STARTS) else ""
    if kind == "zip":
        return "" if name.lower().endswith(_OFFICE_ENDINGS) and _is_office(head) else kind
    if kind == "bz2" and head[4:10] != b"1AY&SY":
        return ""
    if not kind and b"\0" in head:
        from moss.intake.archives.tar import is_tar_header

        return "tar" if is_tar_header(head) else ""
    return kind


def _is_office(head: bytes) -> bool:
    # The formats prescribe, or all programs write, these as the first member; a mere zip of that name has neither.
    return head[30:].startswith((b"[Content_Types].xml", b"mimetype", b"_rels/", b"docProps/", b"Index/", b"word/"))


def archive_entries(file: BinaryIO, kind: str, run: Run, most: int) -> list[Entry]:
    """Everything an archive holds, ignored folders reduced to one entry; `most` bounds what a tar may unpack to."""
    if kind == "zip":
        from moss.intake.archives.zip import zip_entries

        return prune(zip_entries(file, run), run.choice)
    from moss.intake.archives.tar import is_tar_header, tar_entries

    tape = Plain(file) if kind == "tar" else Inflated(file, partial(_decompress, kind), run.limits.ratio, most)
    try:
        if not is_tar_header(tape.at(0, HEAD)):
            return [Entry("", refusal="a compressed file that is not an archive, not read")]
    except UnreadableError as refused:
        return [Entry("", refusal=refused.reason)]
    return prune(tar_entries(tape, run), run.choice)


def _decompress(kind: str, meter: Metered) -> IO[bytes]:
    if kind == "gz":
        import gzip

        return gzip.GzipFile(fileobj=meter)  # type: ignore[return-value]
    if kind == "bz2":
        import bz2

        return bz2.BZ2File(meter)
    import lzma

    return lzma.LZMAFile(meter)  # type: ignore[arg-type]
