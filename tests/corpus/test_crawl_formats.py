"""Crawls of every format: each record is one document, however the file is compressed and wherever it is cut."""

from __future__ import annotations

import gzip
import json
import zlib
from datetime import UTC, datetime

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import add_here, prose
from support.crawls import html_page, packed, response, warc_of, warc_record

from moss.corpus.crawl.parts import CrawlPart, parts_of, read_part, split_part
from moss.corpus.crawl.records import AS_USUAL, ReadingChoice, of_line
from moss.corpus.ingest.documents import CorpusDocument
from moss.corpus.ingest.sources import portions, read, read_file
from moss.model import Problem

PAGES = [(f"https://h{n}.example/{n}.html", f"2024-05-0{n + 1}T10:00:00Z", html_page(prose(n, 60))) for n in range(4)]
LINES = [{"url": url, "date": date, "text": prose(n, 60)} for n, (url, date, _) in enumerate(PAGES)]
JSON = "".join(json.dumps(record) + "\n" for record in LINES).encode()


def wet(pages):
    return [
        warc_record("conversion", url, date, prose(n, 60).encode(), "text/plain")
        for n, (url, date, _) in enumerate(pages)
    ]


def parquet(path, columns="url, date, text"):
    import duckdb

    with duckdb.connect() as connection:
        lines = path.with_suffix(".tmp.json")
        lines.write_bytes(JSON)
        connection.execute(f"COPY (SELECT {columns} FROM read_json('{lines}')) TO '{path}' (FORMAT parquet)")
    return path.read_bytes()


FORMATS = {
    "a.warc": lambda path: b"".join(warc_of(PAGES)),
    "a.warc.gz": lambda path: packed(warc_of(PAGES)),
    "whole.warc.gz": lambda path: gzip.compress(b"".join(warc_of(PAGES))),
    "a.warc.zst": lambda path: zstandard.compress(b"".join(warc_of(PAGES))),
    "a.warc.wet": lambda path: b"".join(wet(PAGES)),
    "a.warc.wet.gz": lambda path: packed(wet(PAGES)),
    "a.jsonl": lambda path: JSON,
    "a.jsonl.gz": lambda path: gzip.compress(JSON),
    "a.ndjson.zst": lambda path: zstandard.compress(JSON),
    "a.parquet": parquet,
}


@pytest.mark.parametrize("name", FORMATS)
def test_each_record_is_a_document_with_its_address_and_date(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(FORMATS[name](path))
    found = read_file(str(path))
    assert [document.address for document in found] == [url for url, _, _ in PAGES]
    assert [document.date for document in found] == [datetime(2024, 5, n + 1, 10, tzinfo=UTC) for n in range(4)]
    assert [document.text.split() for document in found] == [prose(n, 60).split() for n in range(4)]
    assert all(document.dated for document in found)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("portion", [50, 777, 4096])
def test_a_file_that_is_cut_anywhere_has_the_same_documents(tmp_path, monkeypatch, name, portion):
    path = tmp_path / name
    path.write_bytes(FORMATS[name](path))
    monkeypatch.setattr("moss.corpus.ingest.sources.PORTION", portion)
    monkeypatch.setattr("moss.corpus.crawl.parts._STREAMED", portion)
    monkeypatch.setattr("moss.corpus.crawl.parts._RUN", 1)
    monkeypatch.setattr("moss.corpus.crawl.parts._ROWS", 3)
    cut = list(portions([str(path)]))
    assert len(cut) > 1 or portion > 50
    found = [document for part in cut for document in read(part)]
    assert sorted(document.address for document in found) == [url for url, _, _ in PAGES]
    singles = [piece for part in cut for piece in split_part(part)]
    assert all(piece.is_single for piece in singles)
    again = [document for piece in singles for document in read_part(piece)]
    assert sorted(again, key=lambda document: document.address) == sorted(found, key=lambda document: document.address)


@given(st.lists(st.binary(max_size=60) | st.just(b"\r\n\r\n"), max_size=6), st.integers(1, 400), st.booleans())
def test_cuts_of_a_warc_lose_nothing(tmp_path_factory, bodies, portion, compressed):
    records = [
        warc_record("conversion", f"http://h/{n}", "2024-01-01T00:00:00Z", body, "text/plain")
        for n, body in enumerate(bodies)
    ]
    path = tmp_path_factory.mktemp("warc") / ("a.warc.gz" if compressed else "a.warc")
    content = packed(records) if compressed else b"".join(records)
    path.write_bytes(content)
    parts = parts_of(str(path), len(content), ReadingChoice(), portion)
    found = [item for part in parts for item in read_part(part)]
    assert [item.address for item in found] == [f"http://h/{n}" for n in range(len(bodies))]


def test_a_page_is_its_main_text_or_as_it_is(tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(warc_of(PAGES[:1])))
    (main,) = read_file(str(path))
    assert (main.language, "Shop" in main.text, main.tongue) == ("text", False, main.tongue)
    (part,) = portions([str(path)], ReadingChoice(whole_pages=True))
    (whole,) = read(part)
    assert (whole.language, "Shop" in whole.text) == ("html", True)
    line = tmp_path / "a.jsonl"
    line.write_text(json.dumps({"url": "u", "html": PAGES[0][2]}))
    assert read_file(str(line))[0].text == main.text


def test_answers_are_unwrapped(tmp_path):
    text = "Grüße aus der Küche, von allen die hier kochen und essen."
    body = f"<html><body><p>{text}</p></body></html>".encode("latin-1")
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    html = "Content-Type: text/html; charset=iso-8859-1"
    damaged = gzip.compress(body)[:9] + b"xxxx" * 9
    answers = {
        "plain": (body, html, 200),
        "chunks": (chunks, f"{html}\r\nTransfer-Encoding: chunked", 200),
        "gzip": (gzip.compress(body), f"{html}\r\nContent-Encoding: gzip", 200),
        "done": (body, f"{html}\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked", 200),
        "moved": (body, html, 301),
        "picture": (b"\x89PNG", "Content-Type: image/png", 200),
        "broken": (damaged, f"{html}\r\nContent-Encoding: gzip", 200),
    }
    records = [response(f"http://h/{name}", "2024-01-01T00:00:00Z", *answer) for name, answer in answers.items()]
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(records))
    *found, broken = read_file(str(path))
    assert [item.address for item in found] == [f"http://h/{name}" for name in ("plain", "chunks", "gzip", "done")]
    assert {item.text.strip() for item in found} == {text}
    assert {item.tongue for item in found} == {"de"}
    assert broken == Problem("http://h/broken", "not a document: the compression of its answer is damaged")


def deflated(body):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def test_answers_without_a_header_or_with_several_parts_are_unpacked(tmp_path):
    text = prose(5, 300)
    body = f"<html><body><p>{text}</p></body></html>".encode()
    answers = {
        "zlib": (zlib.compress(body), "deflate"),
        "raw": (deflated(body), "deflate"),
        "two": (gzip.compress(body[:99]) + gzip.compress(body[99:]), "gzip"),
        "done": (body, "br"),
        "none": (body, "compress"),
    }
    path = tmp_path / "a.warc"
    path.write_bytes(
        b"".join(
            response(
                f"http://h/{name}",
                "2024-01-01T00:00:00Z",
                packed,
                f"Content-Type: text/html\r\nContent-Encoding: {how}",
            )
            for name, (packed, how) in answers.items()
        )
    )
    assert [item.text.split() for item in read_file(str(path))] == [text.split()] * len(answers)


def cut_in_chunks(body):
    return b"%x\r\n%s\r\n%x\r\n%s" % (40, body[:40], len(body) - 40, body[40:])


ENDINGS = {
    "whole": (lambda body: body, "Content-Length: {length}", ""),
    "unpacked": (lambda body: body, "Content-Length: 70\r\nContent-Encoding: gzip", ""),
    "kept longer": (lambda body: body, "Content-Length: 9", ""),
    "kept chunks": (lambda body: body, "Transfer-Encoding: chunked", ""),
    "short": (lambda body: body[:-30], "Content-Length: {length}", "cut"),
    "short chunks": (cut_in_chunks, "Transfer-Encoding: chunked", "cut"),
    "short gzip": (lambda body: gzip.compress(body)[:-12], "Content-Encoding: gzip", "cut"),
    "told": (lambda body: body[:-30], "X-Any: thing", "cut"),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_a_page_of_which_the_crawler_has_only_the_beginning_is_added_and_told(tmp_path, name):
    change, headers, is_cut = ENDINGS[name]
    body = f"<html><body><p>{prose(7, 300)}</p></body></html>".encode()
    told = f"Content-Type: text/html\r\n{headers.format(length=len(body))}"
    record = response("http://h/page", "2024-01-01T00:00:00Z", change(body), told)
    if name == "told":
        record = record.replace(b"WARC-Date:", b"WARC-Truncated: length\r\nWARC-Date:", 1)
    path = tmp_path / "a.warc"
    path.write_bytes(record + b"".join(warc_of(PAGES)))
    page, *rest = read_file(str(path))
    assert page.text.startswith(" ".join(prose(7, 300).split()[:40]))
    problems = [item for item in rest if isinstance(item, Problem)]
    assert problems == [Problem("http://h/page", "the crawler has only its beginning, which is added")] * bool(is_cut)
    assert len(rest) - len(problems) == len(PAGES)
    assert sum(isinstance(item, CorpusDocument) for part in parts(path) for item in read_part(part)) == 1 + len(PAGES)


def parts(path):
    """The file record by record."""
    return [one for part in parts_of(str(path), path.stat().st_size, AS_USUAL, 1 << 30) for one in split_part(part)]


def test_parts_of_pages_that_nobody_reads_as_texts_are_no_documents(tmp_path):
    types = ("text/css", "text/javascript; charset=utf-8", "text/plain", "text/x-python", "image/svg+xml")
    records = [response(f"http://h/{n}", "2024-01-01T00:00:00Z", b"a { }\n", f"Content-Type: {each}")
               for n, each in enumerate(types)]  # fmt: skip
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(records))
    assert [item.address for item in read_file(str(path))] == ["http://h/2", "http://h/3"]


@pytest.mark.parametrize(("encoding", "named"), [("br", "brotli"), ("zstd", "Zstandard")])
def test_what_cannot_be_unpacked_is_never_taken_for_text(tmp_path, encoding, named):
    body = b"<" + zstandard.compress(prose(1, 300).encode()) + b"<"
    headers = f"Content-Type: text/html\r\nContent-Encoding: {encoding}"
    path = tmp_path / "a.warc"
    path.write_bytes(response("http://h/a", "2024-01-01T00:00:00Z", body, headers))
    (problem,) = read_file(str(path))
    assert problem == Problem("http://h/a", f"not a document: its answer is compressed by {named}, which is not read")


def test_headers_without_returns_end_where_an_empty_line_is(tmp_path):
    page = PAGES[0][2].encode()
    path = tmp_path / "a.warc"
    answer = b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n" + page
    path.write_bytes(warc_record("response", "http://h/a", "2024-01-01T00:00:00Z", answer, "application/http"))
    assert [item.text.split() for item in read_file(str(path))] == [prose(0, 60).split()]


@pytest.mark.parametrize("name", ["undefined", "punycode", "hex", "x\0y", "nothing"])
def test_a_character_set_that_cannot_be_costs_no_page(tmp_path, name):
    path = tmp_path / "a.warc"
    headers = f"Content-Type: text/html; charset={name}"
    path.write_bytes(response("http://h/a", "2024-01-01T00:00:00Z", PAGES[0][2].encode(), headers))
    assert [item.text.split() for item in read_file(str(path))] == [prose(0, 60).split()]


@pytest.mark.parametrize("compressed", [False, True])
def test_a_damaged_record_costs_itself_alone(tmp_path, compressed):
    records = wet(PAGES)
    records[1] = records[1].replace(b"Content-Length", b"Content-Width")
    path = tmp_path / ("a.warc.gz" if compressed else "a.warc")
    path.write_bytes(packed(records) if compressed else b"".join(records))
    found = read_file(str(path))
    assert [item.address for item in found if isinstance(item, CorpusDocument)] == [PAGES[n][0] for n in (0, 2, 3)]
    (problem,) = (item for item in found if isinstance(item, Problem))
    assert "does not say how long" in problem.reason


@pytest.mark.parametrize("kind", ["whole.warc.gz", "a.warc.zst"])
def test_behind_a_damaged_record_of_a_stream_reading_goes_on(tmp_path, kind):
    records = warc_of(PAGES)
    records[2] = records[2].replace(b"Content-Length", b"Content-Width")
    pack = gzip.compress if kind.endswith("gz") else zstandard.compress
    (tmp_path / kind).write_bytes(pack(b"".join(records)))
    found = read_file(str(tmp_path / kind))
    assert [item.address for item in found if isinstance(item, CorpusDocument)] == [PAGES[n][0] for n in (1, 2, 3)]
    (problem,) = (item for item in found if isinstance(item, Problem))
    assert problem.path.endswith(f"{kind}, record 3")


@pytest.mark.parametrize("said", [-7, 40, 3000, 10**9])
def test_a_record_that_is_not_as_long_as_it_says_costs_itself_alone(tmp_path, said):
    records = wet(PAGES)
    length = len(prose(1, 60))
    records[1] = records[1].replace(f"Content-Length: {length}".encode(), f"Content-Length: {said}".encode())
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(records))
    found = read_file(str(path))
    assert [item.address for item in found if isinstance(item, CorpusDocument)] == [PAGES[n][0] for n in (0, 2, 3)]
    assert sum("damaged" in item.reason for item in found if isinstance(item, Problem)) == 1


def test_records_need_no_empty_lines_between_them(tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(record.removesuffix(b"\r\n\r\n") + b"\r\n" for record in wet(PAGES)))
    assert len(read_file(str(path))) == 4


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "whole.warc.gz", "a.jsonl.gz", "a.ndjson.zst"])
def test_a_file_that_ends_too_early_is_told(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(FORMATS[name](path)[:-300])
    found = read_file(str(path))
    assert any(isinstance(item, Problem) for item in found), found
    assert all(item.address in {url for url, _, _ in PAGES} for item in found if isinstance(item, CorpusDocument))


def test_columns_have_the_names_that_they_are_given(tmp_path):
    path = tmp_path / "a.parquet"
    parquet(path, "url AS source, date AS visited, text AS story")
    (nothing,) = read_file(str(path))
    assert "name one with --text-field (its columns: source, visited, story)" in nothing.reason
    (part,) = portions([str(path)], ReadingChoice(text="story", address="source", date="visited"))
    assert [item.address for item in read(part)] == [url for url, _, _ in PAGES]


def test_a_column_of_bytes_is_read_as_text_and_one_of_lists_is_not(tmp_path):
    parquet(tmp_path / "a.parquet", "url, date, text::BLOB AS text")
    assert [item.text for item in read_file(str(tmp_path / "a.parquet"))] == [prose(n, 60) for n in range(4)]
    parquet(tmp_path / "b.parquet", "url, date, [text] AS text")
    assert {item.reason for item in read_file(str(tmp_path / "b.parquet"))} == {
        'not a document: its "text" is not a text'
    }


def test_what_crawlers_note_is_no_document(tmp_path):
    date = "2024-01-01T00:00:00Z"
    records = [
        warc_record("response", "dns:h.example", date, b"20240101000000 h.example. IN A 192.0.2.1", "text/dns"),
        warc_record("resource", "dns:h.example", date, b"20240101000000 h.example. IN A 192.0.2.1", "text/dns"),
        warc_record("resource", "metadata://gnu.org/software/wget/warc/wget.log", date, b"saved", "text/plain"),
        warc_record("revisit", "http://h.example/", date, b"", "application/http; msgtype=response"),
    ]
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(records) + b"".join(wet(PAGES)))
    assert [item.address for item in read_file(str(path))] == [url for url, _, _ in PAGES]


def test_a_stream_that_several_processes_read_is_told_to_be_damaged_once(tmp_path, monkeypatch):
    monkeypatch.setattr("moss.corpus.crawl.parts._STREAMED", 100)
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(JSON)[:-100])
    found = read_file(str(path))
    assert sum("damaged" in item.reason for item in found if isinstance(item, Problem)) == 1


@pytest.mark.parametrize("kind", ["TIMESTAMPTZ", "TIMESTAMP", "DATE", "VARCHAR"])
def test_a_column_of_days_or_times_of_any_type_is_a_date(tmp_path, kind):
    path = tmp_path / "a.parquet"
    parquet(path, f"url, date::{kind} AS date, text")
    hour = 0 if kind == "DATE" else 10
    assert [item.date for item in read_file(str(path))] == [
        datetime(2024, 5, n + 1, hour, tzinfo=UTC) for n in range(4)
    ]


def test_only_languages_that_are_asked_for_are_added_and_the_others_counted(tmp_path):
    texts = {
        "en": "The committee met on Thursday and decided that the library should stay open until midnight.",
        "de": "Der Ausschuss hat am Donnerstag beschlossen, dass die Bibliothek bis Mitternacht offen bleibt.",
    }
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"url": name, "text": text}) + "\n" for name, text in texts.items()))
    added = add_here(tmp_path / "corpus", path, choice=ReadingChoice(tongues=("de",)))
    assert (added.documents, added.left_out, added.known) == (1, 1, 0)
    assert add_here(tmp_path / "corpus", path).known == 1
    named = [json.dumps({"url": "x", "text": texts["en"], "language": "en-GB"})]
    path.write_text("\n".join(named))
    assert [item.tongue for item in read_file(str(path))] == ["en"]


def test_a_part_says_what_it_is_called():
    assert CrawlPart("/abs/c.jsonl", 0, 9, "c.jsonl").shown == "c.jsonl"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b'{"text": "half of \\ud83d", "n": 1}', "half of \ud83d"),
        (b'{"text": "a", "score": NaN}', "a"),
        (b'{"text": "a", "n": 123456789012345678901234567890}', "a"),
        ('{"text": "é"}'.encode("utf-16"), "é"),
        (b'{"text": "first", "text": "last"}', "last"),
    ],
    ids=["half a character", "not a number", "a large number", "UTF-16", "twice"],
)
def test_a_line_is_read_as_json_reads_it(line, text):
    found = of_line(line, "here", AS_USUAL)
    assert isinstance(found, CorpusDocument)
    assert found.text == text


@pytest.mark.parametrize("line", [b"[" * 100_000, b"{", b"1", b'{"text": "\xff\xfe"}'])
def test_a_line_that_is_no_document_is_a_problem(line):
    assert of_line(line, "here", AS_USUAL) == Problem("here", "not a document: not an object in JSON")
