"""Documents that are broken, or made to do harm: each a way in which a reader could hang, swell or lie."""

from __future__ import annotations

import io
import random
import zipfile
import zlib
from collections.abc import Iterator

from support.documents import docx, odt, open_text, pdf, run, word, zipped

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
WORDS = "These are the words of an ordinary essay, which somebody wrote in an evening."
PAGES = [[WORDS, WORDS.upper()], [WORDS.lower()]]
LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "ha" * 10}">' for n in range(10))


def hostile_documents() -> dict[str, bytes]:
    """All of them, by a file name that says what is wrong."""
    return dict([*_word(), *_open(), *_pdf(), *_others()])


def _raw_word(document: str | bytes, **more: str | bytes) -> bytes:
    others = [(f"word/{name}.xml", content) for name, content in more.items()]
    return zipped([("[Content_Types].xml", "<Types/>"), ("word/document.xml", document), *others])


def _word() -> Iterator[tuple[str, bytes]]:
    whole = docx(PAGES)
    yield "laughs.docx", _raw_word(f"<!DOCTYPE x [{LAUGHS}]><w:p {W}><w:r><w:t>&a9;</w:t></w:r></w:p>")
    quadratic = f'<!DOCTYPE x [<!ENTITY a "{"x" * 50_000}">]><w:p {W}><w:r><w:t>{"&a;" * 5_000}</w:t></w:r></w:p>'
    yield "quadratic.docx", _raw_word(quadratic)
    yield "outside.docx", _raw_word(f'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:p {W}>&a;</w:p>')
    yield "bomb.docx", _raw_word(b"<w:p>" + bytes(20_000_000))
    yield "padded.docx", _raw_word(f"<w:p {W}>{run(' ' * 20_000_000)}</w:p>")
    yield "deep.docx", word("<w:p>" * 100_000 + "</w:p>" * 100_000)
    yield (
        "tables.docx",
        word("<w:tbl><w:tr><w:tc>" * 600 + f"<w:p>{run('deep')}</w:p>" + "</w:tc></w:tr></w:tbl>" * 600),
    )
    cell = f"<w:tc><w:p>{run('1')}</w:p></w:tc>"
    yield "huge table.docx", word(f"<w:tbl>{f'<w:tr>{cell * 50}</w:tr>' * 1_500}</w:tbl>")
    yield "runs.docx", word(f"<w:p>{run('a') * 100_000}</w:p>")
    yield "cut.docx", whole[: len(whole) // 2]
    yield "head.docx", whole[:100]
    yield "cut inside.docx", _raw_word(f"<w:p {W}><w:r><w:t>cut of")
    yield "empty.docx", _raw_word("")
    yield "textless.docx", word("<w:p/>")
    yield "wordless.docx", zipped([("[Content_Types].xml", "<Types/>")])
    loop = (
        '<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>'
    )
    yield "styles.docx", word(f'<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr>{run(WORDS)}</w:p>', styles=loop)
    yield "letters.docx", _raw_word(f"<w:p {W}><w:r><w:t>".encode() + b"\xff\xfe\xfa</w:t></w:r></w:p>")
    yield "nul.docx", _raw_word(f"<w:p {W}><w:r><w:t>a\0b</w:t></w:r></w:p>")
    yield "half.docx", _raw_word(f"<w:p {W}><w:r><w:t>&#xD800;</w:t></w:r></w:p>")
    yield "locked.docx", locked(whole)
    yield "bzip.docx", _bzip2(whole)
    yield "damaged.docx", _flipped(whole, 400)
    yield "password.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    yield "names.docx", zipped([("[Content_Types].xml", "<Types/>"), *((f"x/{n}", "") for n in range(2_000))])
    yield "picture.docx", b"\x89PNG\r\n\x1a\n\0" + bytes(100)


def _open() -> Iterator[tuple[str, bytes]]:
    whole = odt(PAGES)
    yield "blanks.odt", open_text(f'<text:p>{WORDS}<text:s text:c="999999999"/>end</text:p>')
    repeated = 'table:number-columns-repeated="999999999"'
    yield (
        "columns.odt",
        open_text(
            f"<table:table><table:table-cell {repeated}><text:p>{WORDS}</text:p></table:table-cell></table:table>"
        ),
    )
    yield "spans.odt", open_text(f"<text:p>{'<text:span>' * 5_000}{WORDS}{'</text:span>' * 5_000}</text:p>")
    loop = '<style:style style:name="A" style:parent-style-name="A"/>'
    yield "styles.odt", open_text(f'<text:p text:style-name="A">{WORDS}</text:p>', loop)
    yield "laughs.odt", zipped([("mimetype", "x"), ("content.xml", f"<!DOCTYPE x [{LAUGHS}]><x>&a9;</x>")])
    manifest = ("META-INF/manifest.xml", "<m><encryption-data/></m>")
    yield "locked.odt", zipped([("mimetype", "x"), ("content.xml", b"\x01\x02\x03"), manifest])
    yield "cut.odt", whole[: len(whole) // 2]
    yield "bomb.odt", zipped([("mimetype", "x"), ("content.xml", bytes(20_000_000))])


def _pdf() -> Iterator[tuple[str, bytes]]:
    whole = pdf(PAGES)
    yield "cut.pdf", whole[: len(whole) // 2]
    yield "head.pdf", b"%PDF-1.7\n"
    yield "noise.pdf", b"%PDF-1.7\n" + random.Random(1).randbytes(100_000)
    yield "flipped.pdf", _flipped(whole, 40)
    yield (
        "family.pdf",
        _objects("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]/Parent 2 0 R>>"),
    )
    yield "pageless.pdf", _objects("<</Type/Catalog>>")
    yield "self.pdf", _objects("1 0 R", "2 0 R")
    yield "before.pdf", _objects("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]>>", more="/Prev 9")
    yield "bomb.pdf", _page(zlib.compress(b"BT /F1 9 Tf (words) Tj ET " * 500_000, 9))
    yield "saved.pdf", _page(zlib.compress(b"q " * 1_000_000))
    yield "arrays.pdf", _page(zlib.compress(b"[" * 100_000 + b"] TJ"))
    yield (
        "recursive.pdf",
        _page(zlib.compress(b"/X Do"), "/XObject<</X 4 0 R>>", "/Subtype/Form/Resources<</XObject<</X 4 0 R>>>>"),
    )
    yield (
        "font.pdf",
        _page(
            zlib.compress(b"BT /F1 9 Tf (words) Tj ET"),
            "/Font<</F1 4 0 R>>",
            "/Type/Font/Subtype/Type0/DescendantFonts[4 0 R]",
        ),
    )
    yield "figures.pdf", _page(zlib.compress(b"1e999 0 0 -1e999 99999999999999999999 1 cm BT /F1 1e99 Tf (a) Tj ET"))
    yield "filters.pdf", _objects(
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>",
        f"<</Length 3/Filter[{'/ASCIIHexDecode' * 2000}]>>stream\n000\nendstream",
    )  # fmt: skip


def _others() -> Iterator[tuple[str, bytes]]:
    yield "groups.rtf", b"{\\rtf1 " + b"{" * 200_000
    yield "bytes.rtf", b"{\\rtf1 words \\bin9999999999 more}"
    yield "numbers.rtf", b"{\\rtf1 \\u-99999999 \\uc99999999 \\u65 words \\fs-2 x\\cf-5 y\\par}"
    yield "unended.rtf", b"{\\rtf1 " + b"{\\footnote words " * 1500
    yield "chapters.epub", zipped([("mimetype", "application/epub+zip"), ("META-INF/container.xml", "<c/>")])
    spine = "<itemref idref='a'/>" * 100_000
    book = f"<p><item id='a' href='a' media-type='html'/>{spine}</p>"
    container = ("META-INF/container.xml", "<c><rootfile full-path='b'/></c>")
    yield "spine.epub", zipped([("mimetype", "application/epub+zip"), container, ("b", book), ("a", f"<p>{WORDS}</p>")])
    yield "laughs.epub", zipped([("mimetype", "x"), container, ("b", f"<!DOCTYPE x [{LAUGHS}]><x>&a9;</x>")])
    yield "listings.tex", b"\\begin{verbatim} words " * 20_000
    yield "braces.tex", b"{" * 1_000_000 + b"words"
    yield "notes.tex", b"\\footnote{ words " * 10_000


def _objects(*objects: str | bytes, more: str = "") -> bytes:
    """A PDF of these objects, the first of which is its root."""
    content, places = b"%PDF-1.7\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, each if isinstance(each, bytes) else each.encode())
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<</Size {size}/Root 1 0 R{more}>>\n"
    return content + f"{end}startxref\n{len(content)}\n%%EOF".encode()


def _page(
    stream: bytes, resources: str = "/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>", more: str = ""
) -> bytes:
    """A PDF of one page, whose content is the fourth object."""
    head = f"<</Length {len(stream)}/Filter/FlateDecode{more}>>stream\n".encode()
    return _objects(
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<<{resources}>>/Contents 4 0 R>>",
        head + stream + b"\nendstream",
    )  # fmt: skip


def _flipped(content: bytes, count: int) -> bytes:
    changed, chance = bytearray(content), random.Random(count)
    for _ in range(count):
        changed[chance.randrange(40, len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def locked(content: bytes) -> bytes:
    """A zip archive with each member marked as encrypted."""
    return content.replace(b"PK\x03\x04\x14\x00\x00\x00", b"PK\x03\x04\x14\x00\x01\x00").replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00"
    )


def _bzip2(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as archive:
        for name in given.namelist():
            archive.writestr(name, given.read(name))
    return buffer.getvalue()
