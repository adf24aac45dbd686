"""Which bytes are a document: known by the first of them, and where these only say zip or text, by the file's ending.

Every file is asked for, so nothing here takes long to import; `extraction` reads those that are.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class DocumentFormat(StrEnum):
    """A format of documents; the value is what a report gives as a file's encoding."""

    DOCX = "docx"
    ODT = "odt"
    PDF = "pdf"
    RTF = "rtf"
    EPUB = "epub"
    TEX = "tex"
    HTML = "html"


class Handed(NamedTuple):
    """A document as it was handed in, to be read in a process of its own."""

    format: DocumentFormat
    content: bytes


_ENDINGS = {
    ".docx": DocumentFormat.DOCX, ".docm": DocumentFormat.DOCX, ".dotx": DocumentFormat.DOCX,
    ".odt": DocumentFormat.ODT, ".ott": DocumentFormat.ODT,
    ".epub": DocumentFormat.EPUB,
}  # fmt: skip
_STARTS = {b"%PDF-": DocumentFormat.PDF, b"{\\rtf": DocumentFormat.RTF}
_TEX_ENDINGS = (".tex", ".ltx")


def document_format(name: str, head: bytes) -> DocumentFormat | None:
    """The format of a document with this name and these first bytes; None if it is not one that is read."""
    ending = f".{name.lower().rpartition('.')[2]}"
    if head.startswith(b"PK\x03\x04"):
        return _ENDINGS.get(ending)
    if ending in _TEX_ENDINGS and b"\0" not in head:
        return DocumentFormat.TEX
    if ending == ".pdf" and b"%PDF-" in head:  # readers of PDF pass over what stands before
        return DocumentFormat.PDF
    format = next((format for start, format in _STARTS.items() if head.startswith(start)), None)
    return format if format and not _is_source(name) else None


def _is_source(name: str) -> bool:
    """Whether a name is that of a program or a plain text, in which a signature is a comment, or a way to hide."""
    from frontends import for_path

    return for_path(name) is not None
