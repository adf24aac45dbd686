"""The report's folder: complete, whole, free of stale pages, and readable again."""

import gzip
import json
import os
import re
import shutil
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.renderers import Unlucky, process_of_page, renamed

import moss
from moss.model import Baseline, Ranking, Report
from moss.report import render
from moss.report.folder_reader import ReportError, load_report
from moss.report.json_report import as_plain
from moss.report.packed_ranking import pack_ranking, unpack_ranking
from moss.report.page_templates import DiskLinks, paged
from moss.report.pages.overview import render_overview
from moss.report.pages.submission import render_submission
from moss.report.site import write_site

SAMPLES = Path(__file__).parents[2] / "sample_submissions"


@cache
def report():
    folder = SAMPLES / "essays"
    return moss.compare([folder / "submissions"], base=[folder / "starter"], settings=moss.Settings(jobs=1))


@pytest.fixture
def written(tmp_path):
    write_site(report(), tmp_path / "out", jobs=1)
    return tmp_path / "out"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder that is written once; copy it before damaging it."""
    folder = tmp_path_factory.mktemp("stored") / "out"
    write_site(report(), folder, jobs=1)
    return folder


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# Writing.


def test_the_folder_has_a_page_for_each_shown_pair_and_its_submissions(written):
    found = names(written)
    assert [name for name in found if name.startswith("pairs/")] == [
        f"pairs/{i:04}.html" for i in range(1, len(report().pairs) + 1)
    ]
    numbers = [i for i, record in enumerate(report().submissions, 1) if record.id in paged(report())]
    assert [name for name in found if name.startswith("submissions/")] == [f"submissions/{i:04}.html" for i in numbers]
    assert {"index.html", "report.json", "sources.json.gz", "ranking.bin.gz", "assets/pair_tools.js"} <= set(found)
    assert not [name for name in found if "/." in f"/{name}"]


def test_every_link_leads_to_a_file(written):
    for page in written.rglob("*.html"):
        for target in re.findall(r'(?:href|src)="([^"#]+)(?:#[^"]*)?"', page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), (page.name, target)


def test_sources_are_the_texts_of_the_shown_pairs_as_compared(tmp_path):
    few = replace(report(), pairs=report().pairs[:2])
    write_site(few, tmp_path / "out", jobs=1)
    texts = json.loads(gzip.decompress((tmp_path / "out" / "sources.json.gz").read_bytes()))
    assert texts == {
        record.id: {file.path: file.text for file in record.files}
        for record in few.submissions
        if record.id in paged(few)
    }
    again = load_report(tmp_path / "out")
    assert [(pair.a, pair.b) for pair in again.pairs] == [(pair.a, pair.b) for pair in few.pairs]
    assert {record.id for record in again.submissions if record.files[0].text} == paged(few)


def test_progress_is_told_to_the_end(tmp_path):
    told = []
    write_site(report(), tmp_path, jobs=1, progress=lambda *given: told.append(given))
    total = len(report().pairs) + len(paged(report())) + len(report().clusters)
    assert told == [("writing", i, total) for i in range(1, total + 1)]


def test_names_of_strangers_name_no_file(tmp_path):
    hostile = renamed(report(), {"alma": "../../x", "boris": "<script>", "celine": "/etc/passwd", "diego": "a\0b"})
    write_site(hostile, tmp_path / "out", jobs=1)
    assert all(re.fullmatch(r"[\w./-]+", name) for name in names(tmp_path))
    assert os.listdir(tmp_path) == ["out"]


def test_pages_of_an_earlier_report_are_removed_and_others_are_not(written):
    (written / "pairs" / "9999.html").write_text((written / "pairs" / "0001.html").read_text())
    (written / "submissions" / "9998.html").write_text((written / "submissions" / "0001.html").read_text())
    foreign = ["pairs/9997.html", "pairs/notes.html", "pairs/9996.htm", "mine.html", "submissions/readme.txt"]
    for name in foreign:
        (written / name).write_text("not of moss")
    (written / "pairs" / "9995.html").symlink_to(written / "pairs" / "0001.html")
    write_site(replace(report(), pairs=report().pairs[:1]), written, jobs=1)
    found = names(written)
    assert "pairs/9999.html" not in found
    assert "submissions/9998.html" not in found
    assert [name for name in found if name.startswith("pairs/0")] == ["pairs/0001.html"]
    assert set(foreign) | {"pairs/9995.html"} <= set(found)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_page_that_fails_is_made_without_lexers_or_says_so(jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(render, "Renderer", Unlucky)
    monkeypatch.setattr(render, "DEADLINE", 2.0)
    three = replace(report(), pairs=(report().pairs * 3)[:3])
    write_site(three, tmp_path, jobs=jobs)
    first, second, third = ((tmp_path / "pairs" / f"{i:04}.html").read_text(encoding="utf-8") for i in (1, 2, 3))
    assert "could not be made" not in first + second
    assert "This page could not be made: it failed (RecursionError: &lt;/script&gt;&lt;b&gt;too deep)" in third
    assert "<b>too deep" not in third


def test_the_neighbours_of_a_page_that_fails_are_as_they_would_be_without_it(tmp_path, monkeypatch):
    six, told = replace(report(), pairs=(report().pairs * 6)[:6]), []
    write_site(six, tmp_path / "lucky", jobs=1)
    monkeypatch.setattr(render, "Renderer", Unlucky)
    monkeypatch.setattr(render, "DEADLINE", 2.0)
    write_site(six, tmp_path / "unlucky", jobs=1, progress=lambda stage, done, total: told.append((done, total)))
    total = len(render.pages_of(six))
    assert told == [(done, total) for done in range(1, total + 1)]
    others = {name for name in names(tmp_path / "lucky") if not re.fullmatch(r"pairs/000[123]\.html", name)}
    assert "pairs/0006.html" in others
    for name in others:
        assert (tmp_path / "unlucky" / name).read_bytes() == (tmp_path / "lucky" / name).read_bytes()


def makers_of_pages(shown, isolated=False):
    """For each folder of pages whether this process made all of them, or none."""
    found: dict[str, set[bool]] = {}
    pages = render.pages_of(shown)
    for page, maker in render.make_pages(shown, DiskLinks, pages, 1, process_of_page, isolated):
        found.setdefault(page.folder, set()).add(maker == os.getpid())
    assert all(len(made) == 1 for made in found.values())
    return {folder: made.pop() for folder, made in found.items()}


def in_language(shown, language):
    """The report, had all its files been read in this language."""
    records = (
        replace(record, files=tuple(replace(file, language=language) for file in record.files))
        for record in shown.submissions
    )
    return replace(shown, submissions=tuple(records))


def test_pages_are_made_apart_if_they_run_lexers_of_others_or_are_large(monkeypatch):
    everywhere = dict.fromkeys(render.FOLDERS, True)
    assert makers_of_pages(report()) == everywhere
    assert makers_of_pages(report(), isolated=True) == dict.fromkeys(render.FOLDERS, False)
    for language in ("haskell", "html"):
        assert makers_of_pages(in_language(report(), language)) == everywhere | {"pairs": False}
    monkeypatch.setattr(render, "_MOST_TEXT", 0)
    assert makers_of_pages(report()) == dict.fromkeys(render.FOLDERS, False)


def test_pages_are_the_same_whoever_makes_them(tmp_path):
    for shown in (report(), in_language(report(), "haskell")):
        write_site(shown, tmp_path / "one", jobs=1)
        write_site(shown, tmp_path / "two", jobs=2)
        assert names(tmp_path / "one") == names(tmp_path / "two")
        for name in names(tmp_path / "one"):
            assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_pages_are_made_together_unless_their_texts_are_long(monkeypatch):
    many = replace(report(), pairs=report().pairs * 20)
    pages = render.pages_of(many)
    folders = [*Counter(page.folder for page in pages).values()]
    for most, sizes in ((10**9, {16, *(count % 16 for count in folders if count % 16)}), (0, {1})):
        monkeypatch.setattr(render, "_MOST_TEXT", most)
        groups = render._groups(many, pages)
        assert [page for group in groups for page in group] == pages
        assert {len(group) for group in groups} == sizes
        assert all(len({page.folder for page in group}) == 1 for group in groups)


def test_pages_that_are_made_together_are_as_those_made_alone(tmp_path, monkeypatch):
    write_site(report(), tmp_path / "together", jobs=1)
    monkeypatch.setattr(render, "_MOST_TEXT", 0)
    monkeypatch.setattr(render, "read_ahead", lambda files: None)
    write_site(report(), tmp_path / "alone", jobs=1)
    pages = {name for name in names(tmp_path / "alone") if re.fullmatch(r"\w+/\d+\.html", name)}
    assert len(pages) >= 4
    for name in pages:
        assert (tmp_path / "together" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()


# Reading back.


def test_what_was_written_is_read_back(stored):
    again = load_report(stored)
    assert isinstance(again, Report)
    assert as_plain(again) == as_plain(report())
    assert texts_in(again) == texts_in(report())
    assert again.ranking.score.tolist() == pytest.approx(report().ranking.score.tolist(), abs=1e-6)
    assert again.ranking.a.tolist() == report().ranking.a.tolist()


def texts_in(shown):
    """The texts of the shown pairs, by submissions."""
    return {s.id: [file.text for file in s.files] for s in shown.submissions if s.id in paged(shown)}


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_any_names_and_texts_come_back(tmp_path_factory, data):
    texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
    ids = [record.id for record in report().submissions]
    new = data.draw(st.lists(texts, min_size=len(ids), max_size=len(ids), unique=True))
    tail = data.draw(st.text(max_size=50))
    changed = renamed(report(), dict(zip(ids, new, strict=True)))
    changed = replace(
        changed,
        pairs=changed.pairs[:2],
        submissions=tuple(
            replace(s, files=tuple(replace(f, text=f.text + tail) for f in s.files)) for s in changed.submissions
        ),
    )
    folder = tmp_path_factory.mktemp("any")
    write_site(changed, folder, jobs=1)
    again = load_report(folder)
    assert as_plain(again) == as_plain(changed)
    assert texts_in(again) == texts_in(changed)


def test_a_report_read_back_is_written_the_same(stored, tmp_path):
    write_site(load_report(stored), tmp_path / "again", jobs=1)
    assert names(tmp_path / "again") == names(stored)
    for name in names(stored):
        assert (tmp_path / "again" / name).read_bytes() == (stored / name).read_bytes(), name


def pack(path, content):
    """Write a file of a report's folder."""
    text = json.dumps(content).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def rank(folder, a, b, score):
    """Write a ranking as moss does."""
    ranking = Ranking(np.array(a), np.array(b), np.array(score, np.float64))
    (folder / "ranking.bin.gz").write_bytes(pack_ranking(ranking))


def pack_earlier(folder, columns):
    """Write a ranking as earlier versions did."""
    (folder / "ranking.bin.gz").unlink()
    pack(folder / "ranking.json", columns)


@given(st.lists(st.tuples(st.integers(0, 2**31), st.integers(0, 2**31), st.integers(0, 10**6)), max_size=40))
def test_a_ranking_is_read_back_as_it_was_in_any_order(rows):
    a, b, score = (np.array([row[place] for row in rows], np.int64) for place in range(3))
    again = unpack_ranking(gzip.decompress(pack_ranking(Ranking(a, b, score / 10**6))))
    assert [again.a.tolist(), again.b.tolist(), again.score.tolist()] == [
        a.tolist(), b.tolist(), (score / 10**6).tolist(),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["ranking.json", "ranking.json.gz"])
def test_a_report_of_an_older_version_is_read_and_written_as_today(stored, tmp_path, name):
    folder = shutil.copytree(stored, tmp_path / "out")
    ranking = load_report(folder).ranking
    pack(folder / name, {column: getattr(ranking, column).tolist() for column in ("a", "b", "score")})
    (folder / "ranking.bin.gz").unlink()
    sources = folder / "sources.json.gz"
    (folder / "sources.json").write_bytes(gzip.decompress(sources.read_bytes()))
    sources.unlink()
    write_site(load_report(folder), folder, jobs=1)
    assert names(folder) == names(stored)
    assert (folder / "ranking.bin.gz").read_bytes() == (stored / "ranking.bin.gz").read_bytes()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / "report.json").unlink(), "it has no report.json"),
        (lambda folder: (folder / "sources.json.gz").unlink(), "it has no sources.json"),
        (lambda folder: (folder / "sources.json.gz").write_bytes(b"{}"), "sources.json.gz cannot be unpacked"),
        (
            lambda folder: (folder / "ranking.bin.gz").write_bytes(b"\x1f\x8b\x08"),
            "ranking.bin.gz cannot be unpacked",
        ),
        (lambda folder: (folder / "report.json").write_text("{"), "report.json is not JSON"),
        (lambda folder: (folder / "report.json").write_text("[" * 100_000), "report.json is not JSON"),
        (lambda folder: (folder / "report.json").write_bytes(b"\xff\xfe\x00"), "report.json is not JSON"),
        (lambda folder: (folder / "report.json").write_text("[]"), "not a report of moss"),
        (lambda folder: (folder / "report.json").write_text('{"format": "other"}'), "not a report of moss"),
        (lambda folder: (folder / "ranking.bin.gz").unlink(), "it has no ranking.bin.gz"),
        (lambda folder: pack(folder / "ranking.bin.gz", []), "its ranking cannot be read"),
        (lambda folder: pack(folder / "ranking.bin.gz", {"pairs": 10**30, "width": 2}), "its ranking cannot be read"),
        (lambda folder: pack(folder / "ranking.bin.gz", {"pairs": 0, "width": 9}), "its ranking cannot be read"),
        (lambda folder: rank(folder, [99], [1], [1]), "not there"),
        (lambda folder: rank(folder, [0], [1], [1.5]), "a score that cannot be"),
        (lambda folder: pack_earlier(folder, {"a": [], "b": [1], "score": [1]}), "lengths"),
        (lambda folder: pack_earlier(folder, {"a": [0], "b": [-1], "score": [1]}), "ranking.json is wrong at b"),
        (lambda folder: pack(folder / "sources.json.gz", {}), "is missing"),
        (lambda folder: shutil.rmtree(folder), "it has no report.json"),
    ],
)
def test_a_damaged_folder_is_refused_with_a_sentence(stored, tmp_path, change, words):
    folder = shutil.copytree(stored, tmp_path / "out")
    change(folder)
    with pytest.raises(ReportError, match=re.escape(words)):
        load_report(folder)


@pytest.mark.parametrize(
    ("key", "value"),
    [("end", 10**6), ("start", 10**6), ("start_line", 0), ("end_line", 0), ("end", -1), ("start", 0.5)],
)
def test_a_passage_outside_of_its_text_is_refused(stored, tmp_path, key, value):
    folder = shutil.copytree(stored, tmp_path / "out")
    plain = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    plain["pairs"][0]["matches"][0]["b"][key] = value
    (folder / "report.json").write_text(json.dumps(plain))
    with pytest.raises(ReportError, match="is damaged"):
        load_report(folder)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("pairs", 0, "score"), 1.5, "report.json is wrong at pairs.0.score: input should be less than"),
        (("pairs", 0, "matches", 0, "tokens"), "many", "at pairs.0.matches.0.tokens: input should be a valid integer"),
        (("submissions", 1, "files", 0, "status"), "eaten", "at submissions.1.files.0.status: input should be 'ok'"),
        (("pairs", 0, "a"), "nobody", "a pair is of 'nobody', which is not among its submissions"),
        (("clusters",), [["nobody"]], "'nobody' is in a cluster and not among its submissions"),
        (("parameters", "limits"), None, "at parameters: wrong at limits: input should be a valid dictionary"),
        (("created",), "yesterday", "at created: input should be a valid datetime"),
    ],
)
def test_what_is_damaged_is_told_with_its_place(stored, tmp_path, path, value, words):
    folder = shutil.copytree(stored, tmp_path / "out")
    plain = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    place = plain
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    (folder / "report.json").write_text(json.dumps(plain))
    with pytest.raises(ReportError, match=re.escape(words)) as refused:
        load_report(folder)
    assert "\n" not in str(refused.value)


def test_fields_of_newer_and_older_versions_are_no_damage(stored, tmp_path):
    folder = shutil.copytree(stored, tmp_path / "out")
    plain = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    plain["pairs"][0]["from_the_future"] = plain["from_the_future"] = 1
    del plain["baseline"]
    (folder / "report.json").write_text(json.dumps(plain))
    assert load_report(folder).pairs == load_report(stored).pairs
    assert load_report(folder).baseline == Baseline()


def test_a_newer_version_is_refused(stored, tmp_path):
    folder = shutil.copytree(stored, tmp_path / "out")
    plain = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    (folder / "report.json").write_text(json.dumps(plain | {"version": 2}))
    with pytest.raises(ReportError, match="a report of format 2, and this version of moss reads format 1"):
        load_report(folder)


JUNK = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}))


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


@pytest.mark.parametrize("junk", [":", -1, float("nan"), {}], ids=str)
def test_a_report_with_a_damaged_threshold_is_shown(stored, tmp_path, junk):
    for name in ("ranking.bin.gz", "sources.json.gz"):
        (tmp_path / name).write_bytes((stored / name).read_bytes())
    plain = json.loads((stored / "report.json").read_bytes())
    plain["parameters"]["threshold"] = junk
    pack(tmp_path / "report.json", plain)
    assert render_overview(load_report(tmp_path), DiskLinks())


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_whatever_is_damaged_there_is_never_a_traceback(stored, tmp_path_factory, data):
    name = data.draw(st.sampled_from(["report.json", "sources.json.gz"]))
    content = (stored / name).read_bytes()
    plain = json.loads(gzip.decompress(content) if name.endswith(".gz") else content)
    path = data.draw(st.sampled_from(list(places(plain))[1:]))
    parent = plain
    for key in path[:-1]:
        parent = parent[key]
    if data.draw(st.booleans()):
        del parent[path[-1]]
    else:
        parent[path[-1]] = data.draw(JUNK)
    folder = tmp_path_factory.mktemp("damaged")
    for other in ("report.json", "ranking.bin.gz", "sources.json.gz"):
        (folder / other).write_bytes((stored / other).read_bytes())
    pack(folder / name, plain)
    look_at(folder)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_however_the_ranking_is_damaged_there_is_never_a_traceback(stored, tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damaged")
    for name in ("report.json", "ranking.bin.gz", "sources.json.gz"):
        (folder / name).write_bytes((stored / name).read_bytes())
    content = bytearray(gzip.decompress((folder / "ranking.bin.gz").read_bytes()))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place : place + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    (folder / "ranking.bin.gz").write_bytes(gzip.compress(content))
    look_at(folder)


def look_at(folder):
    """Read the report and make pages of it, unless it is refused."""
    try:
        again = load_report(folder)
    except ReportError:
        return
    assert render_overview(again, DiskLinks())
    assert render_submission(again, 1, DiskLinks("../"))
