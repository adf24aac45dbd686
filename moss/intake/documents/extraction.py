"""The text of a document in any format, and of many in processes that may be ended: their bytes are strangers'."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from moss.intake.documents.formats import DocumentFormat, Handed
from moss.intake.documents.paragraphs import Extracted, put_together
from moss.intake.encodings import decode
from moss.intake.entries import UnreadableError, without_extra
from moss.intake.limits import Limits, human_size
from moss.intake.sandbox import SECONDS, Refused, read_isolated
from moss.messages import gettext as _


def extract(format: DocumentFormat, content: bytes, limits: Limits) -> Extracted:
    """The text of a document; raises UnreadableError."""
    found = _READERS[format](content, limits)
    if not found.text:
        raise UnreadableError(_("a document without any text, so there is nothing to compare"))
    if len(found.text) > limits.file_bytes:
        raise UnreadableError(
            _("a document with more text than the limit of %(limit)s, not read", limit=human_size(limits.file_bytes))
        )
    return found


def extract_all(
    documents: Sequence[Handed], limits: Limits, jobs: int | None = None, seconds: float = SECONDS
) -> list[Extracted | Refused]:
    """The text of each document, or the reason why it has none."""
    return read_isolated(partial(_extract, limits), documents, _("a document"), jobs=jobs, seconds=seconds)


def _extract(limits: Limits, document: Handed) -> Extracted:
    return extract(document.format, document.content, limits)


def _docx(content: bytes, limits: Limits) -> Extracted:
    from moss.intake.documents.docx import read_docx

    return read_docx(content, limits)


def _odt(content: bytes, limits: Limits) -> Extracted:
    from moss.intake.documents.odt import odt_paragraphs

    return put_together(odt_paragraphs(content, limits))


def _pdf(content: bytes, limits: Limits) -> Extracted:
    try:
        from moss.intake.documents.pdf import read_pdf
    except ModuleNotFoundError as missing:
        raise without_extra(_("a PDF document"), missing) from None
    return read_pdf(content)


def _rtf(content: bytes, limits: Limits) -> Extracted:
    from moss.intake.documents.rtf import rtf_paragraphs

    return put_together(rtf_paragraphs(content))


def _epub(content: bytes, limits: Limits) -> Extracted:
    from moss.intake.documents.html import epub_paragraphs

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
