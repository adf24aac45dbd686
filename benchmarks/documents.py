"""How fast documents are read: ours, with pages, paragraphs and what is hidden, beside what libraries do alone.

    pip install ".[bench]"
    python benchmarks/documents.py [--pages 40] [--rounds 3]

Essays of some pages are written by python-docx, odfpy and fpdf2, and by hand where no library writes a format. CPU
seconds on one core, the best of some rounds in which all take turns; megabytes are those of the text, the same for all.
`complete` says which part of the words each gives back, and `paragraphs` whether they come back as they were written.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.corpora import prose
from support.documents import docx, odt, pdf, zipped

from moss.intake import Limits
from moss.intake.documents.extraction import extract
from moss.intake.documents.formats import DocumentFormat

Pages = list[list[str]]
Reader = Callable[[bytes], str]


def rtf(pages: Pages) -> bytes:
    """The pages in Rich Text Format."""
    text = "\\page ".join("".join(f"{paragraph}\\par\n" for paragraph in page) for page in pages)
    return f"{{\\rtf1\\ansi {text}}}".encode()


def epub(pages: Pages) -> bytes:
    """The pages as the chapters of an e-book."""
    items = "".join(f'<item id="c{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(pages)))
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(pages)))
    chapters = ["".join(f"<p>{paragraph}</p>\n" for paragraph in page) for page in pages]
    return zipped(
        [
            ("mimetype", "application/epub+zip"),
            ("META-INF/container.xml", '<c><rootfile full-path="book.opf"/></c>'),
            ("book.opf", f"<package>{items}{spine}</package>"),
            *((f"{n}.xhtml", f"<html><body>{chapter}</body></html>") for n, chapter in enumerate(chapters)),
        ]
    )


def tex(pages: Pages) -> bytes:
    """The pages in TeX."""
    body = "\n\n\\newpage\n".join("\n\n".join(page) for page in pages)
    return f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n".encode()


def ours(format: DocumentFormat) -> Reader:
    """Our reader of a format, without the process around it."""
    return lambda content: extract(format, content, Limits()).text


def with_python_docx(content: bytes) -> str:
    from docx import Document

    return "\n".join(paragraph.text for paragraph in Document(io.BytesIO(content)).paragraphs)


def with_docx2python(content: bytes) -> str:
    from docx2python import docx2python

    with docx2python(io.BytesIO(content)) as found:
        return str(found.text)


def with_odfpy(content: bytes) -> str:
    from odf.opendocument import load
    from odf.teletype import extractText
    from odf.text import P

    return "\n".join(extractText(paragraph) for paragraph in load(io.BytesIO(content)).getElementsByType(P))


def with_pypdf(content: bytes) -> str:
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


def with_pdfminer(content: bytes) -> str:
    from pdfminer.high_level import extract_text

    return str(extract_text(io.BytesIO(content)))


def with_striprtf(content: bytes) -> str:
    from striprtf.striprtf import rtf_to_text

    return str(rtf_to_text(content.decode()))


FORMATS: dict[str, tuple[Callable[[Any], bytes], dict[str, Reader]]] = {
    "docx": (docx, {"python-docx": with_python_docx, "docx2python": with_docx2python}),
    "odt": (odt, {"odfpy": with_odfpy}),
    "pdf": (pdf, {"pypdf": with_pypdf, "pdfminer.six": with_pdfminer}),
    "rtf": (rtf, {"striprtf": with_striprtf}),
    "epub": (epub, {}),
    "tex": (tex, {}),
}


def best_times(readers: dict[str, Reader], content: bytes, rounds: int) -> dict[str, float]:
    """CPU seconds that each reader takes, at best."""
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, read in readers.items():
            started = time.process_time()
            read(content)
            best[name] = min(best.get(name, 1e9), time.process_time() - started)
    return best


def installed(readers: dict[str, Reader], content: bytes) -> dict[str, str]:
    """The text that each reader returns, for readers whose library is installed."""
    found = {}
    for name, read in readers.items():
        try:
            found[name] = read(content)
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
    return found


def measure(format: str, pages: Pages, rounds: int) -> None:
    """Print a row for each reader of a format."""
    write, libraries = FORMATS[format]
    content, paragraphs = write(pages), [paragraph for page in pages for paragraph in page]
    readers = {"moss": ours(DocumentFormat(format)), **libraries}
    texts = installed(readers, content)
    times = best_times({name: readers[name] for name in texts}, content, rounds)
    words = " ".join(paragraphs).split()
    megabytes = len(" ".join(paragraphs).encode()) / 1_000_000
    for name, text in texts.items():
        whole = sum(paragraph in text for paragraph in paragraphs) / len(paragraphs)
        complete = min(1.0, len(text.split()) / len(words))
        print(f"| {format} | {name} | {megabytes / times[name]:.2f} MB/s | {complete:.0%} | {whole:.0%} |")


def main() -> None:
    """Measure all formats."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=40, help="pages of an essay (40)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (3)")
    given = parser.parse_args()
    pages = [[prose(10 * page + place, 90) for place in range(6)] for page in range(given.pages)]
    print("| format | reader | text | complete | paragraphs |\n| --- | --- | --- | --- | --- |")
    for format in FORMATS:
        measure(format, pages, given.rounds)


if __name__ == "__main__":
    main()
