"""Which bytes are a document, and the text of one in any format.

A format is known by its first bytes, and where these only say zip or text, by the ending of the name. `extract` reads
strangers' bytes: call it in a process that may be ended (`moss.intake.documents.sandbox`).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from moss.intake.documents.paragraphs import Extracted, put_together
from moss.intake.encodings import decode
from moss.intake.entries import UnreadableError
from moss.intake.limits import Limits
from moss.shipped import extra_with, how_to_install


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


class Refused(NamedTuple):
    """Why a document has no text, in one sentence."""

    reason: str


_ENDINGS = {
    ".docx": DocumentFormat.DOCX, ".docm": DocumentFormat.DOCX, ".dotx": DocumentFormat.DOCX,
    ".odt": DocumentFormat.ODT, ".ott": DocumentFormat.ODT,
    ".epub": DocumentFormat.EPUB,
}  # fmt: skip
_STARTS = {b"%PDF-": DocumentFormat.PDF, b"{\\rtf": DocumentFormat.RTF}
_TEX_ENDINGS = (".tex", ".ltx")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")


def document_format(name: str, head: bytes) -> DocumentFormat | None:
    """The format of a document with this name and these first bytes; None if it is not one that is read."""
    ending = f".{name.lower().rpartition('.')[2]}"
    if head.startswith(b"PK\x03\x04"):
        return _ENDINGS.get(ending)
    if ending in _TEX_ENDINGS and b"\0" not in head:
        return DocumentFormat.TEX
    format = next((format for start, format in _STARTS.items() if head.startswith(start)), None)
    return format if format and not _is_source(name) else None


def _is_source(name: str) -> bool:
    """Whether a name is that of a program or a plain text, in which a signature is a comment, or a way to hide."""
    from frontends import for_path

    return for_path(name) is not None


def refusal_of_old_document(content: bytes) -> str:
    """Why a document in one of the formats that are not read is not, and what to do; nothing for all else."""
    if not content.startswith(_OLE):
        return ""
    if _ENCRYPTED_PACKAGE in content:
        return "an encrypted document, so it cannot be read"
    return "an office document in the format of before 2007, not read: save it as .docx"


def extract(format: DocumentFormat, content: bytes, limits: Limits) -> Extracted:
    """The text of a document; raises UnreadableError."""
    found = _READERS[format](content, limits)
    if not found.text:
        raise UnreadableError("a document without any text, so there is nothing to compare")
    return found


def _docx(content: bytes, limits: Limits) -> Extracted:
    from moss.intake.documents.docx import docx_paragraphs

    return put_together(docx_paragraphs(content, limits))


def _odt(content: bytes, limits: Limits) -> Extracted:
    from moss.intake.documents.odt import odt_paragraphs

    return put_together(odt_paragraphs(content, limits))


def _pdf(content: bytes, limits: Limits) -> Extracted:
    try:
        from moss.intake.documents.pdf import read_pdf
    except ModuleNotFoundError as missing:
        raise needs_extra("a PDF document", missing) from None
    return read_pdf(content)


def needs_extra(what: str, missing: ModuleNotFoundError) -> UnreadableError:
    """Why something is not read of which the library is not installed, and how to install it."""
    extra = extra_with(missing.name or "")
    if extra is None:
        raise missing
    return UnreadableError(f"{what}, not read; to read such: {how_to_install(extra)}")


def _rtf(content: bytes, limits: Limits) -> Extracted:
    from moss.intake.documents.rtf import rtf_paragraphs

    return put_together(rtf_paragraphs(content))


def _epub(content: bytes, limits: Limits) -> Extracted:
    from moss.intake.documents.epub import epub_paragraphs

    return put_together(epub_paragraphs(content, limits), division="chapter")


def _tex(content: bytes, limits: Limits) -> Extracted:
    from moss.intake.documents.tex import tex_paragraphs

    return put_together(tex_paragraphs(decode(content)[0]))


def _html(content: bytes, limits: Limits) -> Extracted:
    from moss.intake.documents.html import html_text

    return html_text(decode(content)[0])


_READERS: dict[DocumentFormat, Callable[[bytes, Limits], Extracted]] = {
    DocumentFormat.DOCX: _docx,
    DocumentFormat.ODT: _odt,
    DocumentFormat.PDF: _pdf,
    DocumentFormat.RTF: _rtf,
    DocumentFormat.EPUB: _epub,
    DocumentFormat.TEX: _tex,
    DocumentFormat.HTML: _html,
}
