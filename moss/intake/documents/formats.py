"""Which bytes are a document, and the text of one in any format.

A format is known by its first bytes, and where these only say zip or text, by the ending of the name. `extract` reads
strangers' bytes; `extract_all` does so in processes that may be ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from moss.intake.documents.paragraphs import Extracted, put_together
from moss.intake.encodings import decode
from moss.intake.entries import UnreadableError, without_extra
from moss.intake.limits import Limits, human_size
from moss.intake.sandbox import SECONDS, Refused, read_isolated


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


def extract(format: DocumentFormat, content: bytes, limits: Limits) -> Extracted:
    """The text of a document; raises UnreadableError."""
    found = _READERS[format](content, limits)
    if not found.text:
        raise UnreadableError("a document without any text, so there is nothing to compare")
    if len(found.text) > limits.file_bytes:
        raise UnreadableError(f"a document with more text than the limit of {human_size(limits.file_bytes)}, not read")
    return found


def extract_all(
    documents: Sequence[Handed], limits: Limits, jobs: int | None = None, seconds: float = SECONDS
) -> list[Extracted | Refused]:
    """The text of each document, or the reason why it has none."""
    return read_isolated(partial(_extract, limits), documents, "a document", jobs=jobs, seconds=seconds)


def _extract(limits: Limits, document: Handed) -> Extracted:
    return extract(document.format, document.content, limits)


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
        raise without_extra("a PDF document", missing) from None
    return read_pdf(content)


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
