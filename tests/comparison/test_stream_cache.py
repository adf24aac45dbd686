"""What was read once is kept, and a run that uses it finds the same to the last byte."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.programs import CART_JS, DIARY_PY, HONEST_JAVA, HONEST_PYTHON, LEDGER, MAZE, QUEUE_C, notebook, write_class

import frontends
from moss.comparison import compare_submissions, stream_cache
from moss.comparison.scan import read_file
from moss.comparison.scanned_files import FilePart, FilePlan, FileStreams
from moss.comparison.stream_cache import digest_of, key_of, keys_of
from moss.comparison.stream_codec import pack
from moss.intake import Intake, collect
from moss.model import Channel, SourceFile, Status, Submission, TokenStream
from moss.report.json_report import as_plain
from moss.settings import Settings

SAMPLES = Path(__file__).parents[2] / "sample_submissions"
ONE = Settings(jobs=1)


class DictionaryCache:
    """Keeps in memory, and remembers what it was asked to keep."""

    everything = True

    def __init__(self, kept=()):
        self.kept = dict(kept)
        self.puts = []

    def get(self, keys):
        return {key: self.kept[key] for key in keys if key in self.kept}

    def put(self, packed, digests=None):
        self.puts.append(set(packed))
        self.kept |= packed


def as_bytes(report):
    """All of a report but its time."""
    plain = as_plain(report)
    del plain["created"]
    return json.dumps(plain, sort_keys=True).encode()


def run(intake, chosen=ONE, cache=None, progress=lambda stage, done, total: None):
    return compare_submissions(intake, chosen, {}, progress, cache)


def plan_of(text, language="java"):
    return FilePlan(text, (FilePart(language, ((0, len(text)),)),))


def kept_file(text, language="java"):
    return pack(read_file(plan_of(text, language)))


# The same report.

PERL = 'my %seen;\nforeach my $word (split /\\s+/, <STDIN>) {\n    print "$word\\n" unless $seen{$word}++;\n}\n' * 3
ENDLESS_ML = "1" * 20_000  # for the scanner: https://github.com/pygments/pygments/issues/3247


def sample(name):
    def paths(kind):
        return [folder for folder in [SAMPLES / name / kind] if folder.is_dir()]

    return collect(paths("submissions"), paths("archive"), paths("starter"))


@pytest.fixture
def mixture(tmp_path):
    """A class that hands in whatever there is: several languages in one submission, notebooks, prose, nothing."""
    cells = [f"{part}\n" for part in DIARY_PY.split("\n\n\n")]
    members = {
        "alice": {"Main.java": LEDGER, "tool.py": DIARY_PY, "cart.js": CART_JS, "notes.txt": "Thank you for reading."},
        "bob": {"d.ipynb": notebook("# My diary\n\nIn short.\n", *cells[:3], "# And now the rest.\n", *cells[3:])},
        "carol": {"p.ipynb": notebook("# Words\n", PERL, "# More\n", PERL, language="perl"), "Ledger.java": LEDGER},
        "dave": {"words.pl": PERL, "q.c": QUEUE_C, "empty.java": "", "naïve.txt": "Ѕome wоrds are nоt what they seem."},
        "erin": {"odd.unknown": MAZE, "x.ipynb": notebook(DIARY_PY, language="klingon")},
        **HONEST_JAVA,
        **HONEST_PYTHON,
    }
    return collect([write_class(tmp_path / "hw1", members)], (), ())


def check_same(intake, chosen):
    """Assert that a run without a cache, one with an empty cache and one with all kept find the same."""
    cache = DictionaryCache()
    expected = as_bytes(run(intake, chosen))
    assert as_bytes(run(intake, chosen, cache)) == expected
    assert cache.puts
    cache.puts.clear()
    assert as_bytes(run(intake, chosen, cache)) == expected
    assert not cache.puts
    return cache


@pytest.mark.parametrize(
    ("name", "jobs"), [("essays", 1), ("java-library", 1), ("java-library", 2), ("python-textstats", 1)]
)
def test_the_samples_give_the_same_report(name, jobs):
    check_same(sample(name), Settings(jobs=jobs))


@pytest.mark.parametrize("chosen", [ONE, Settings(jobs=2), Settings(jobs=1, anonymize=True, language="java")])
def test_a_mixture_gives_the_same_report(mixture, chosen):
    check_same(mixture, chosen)


def test_thresholds_and_base_code_come_after_what_is_kept():
    intake = sample("python-textstats")
    cache = check_same(intake, ONE)
    without_base = Intake(tuple(s for s in intake.submissions if s.role != "base"), intake.problems)
    for given_, chosen in ((intake, Settings(jobs=1, noise=5, guarantee=8)), (without_base, ONE)):
        assert as_bytes(run(given_, chosen, cache)) == as_bytes(run(given_, chosen))
        assert not cache.puts


def class_of(texts, path="Main.java"):
    return Intake(tuple(Submission(f"s{n}", f"s{n}", (SourceFile(path, text),)) for n, text in enumerate(texts)), ())


statements = st.lists(
    st.sampled_from(["int a = b + 1;", "while (!q.isEmpty()) q.poll();", "// a remark\n", 'f("é" + x);', "\ud800", ""]),
    max_size=20,
).map("\n".join)

SHARED = DictionaryCache()  # over all examples: what one has left must never hurt another


@settings(deadline=None, max_examples=50)
@given(st.lists(statements, min_size=2, max_size=4))
def test_any_texts_give_the_same_report(texts):
    intake = class_of(["class A { }", *texts])
    assert as_bytes(run(intake, cache=SHARED)) == as_bytes(run(intake))


# What is scanned, and what is kept.


def test_a_new_submission_costs_that_submission(mixture):
    cache = DictionaryCache()
    run(mixture, cache=cache)
    cache.puts.clear()
    new = "class New { }\n" + MAZE
    files = (SourceFile("New.java", new), SourceFile("Ledger.java", LEDGER))  # the second is alice's too
    more = Intake((*mixture.submissions, Submission("zoe", "zoe", files)), ())
    assert as_bytes(run(more, cache=cache)) == as_bytes(run(more))
    assert cache.puts == [{key_of(plan_of(new))}]


def test_what_is_kept_is_not_scanned():
    """Streams without tokens are kept for one file, and the run believes it."""
    intake = class_of([LEDGER, LEDGER, MAZE])
    streams = read_file(plan_of(MAZE))
    nothing = TokenStream(np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64))
    part = streams.parts[0]._replace(tokens=dict.fromkeys(Channel, nothing))
    doctored = FileStreams(replace(streams.file, tokens=0), (part,))
    report = run(intake, cache=DictionaryCache({key_of(plan_of(MAZE)): pack(doctored)}))
    assert [record.tokens > 0 for record in report.submissions] == [True, True, False]


def test_every_file_is_kept_under_its_key(mixture):
    cache = DictionaryCache()
    run(mixture, cache=cache)
    submissions = sorted(mixture.submissions, key=lambda s: s.id)
    keys = {key for of_files in keys_of(submissions) for key in of_files}
    assert cache.kept.keys() == keys
    assert all(len(key) == 64 for key in keys)


@pytest.mark.parametrize(
    "harm", [lambda packed: b"", lambda packed: packed[:-1], lambda packed: packed[:40] + b"?" * 9]
)
def test_what_is_damaged_is_read_and_kept_anew(mixture, harm):
    cache = DictionaryCache()
    run(mixture, cache=cache)
    whole = dict(cache.kept)
    cache.kept = {key: harm(packed) for key, packed in whole.items()}
    assert as_bytes(run(mixture, cache=cache)) == as_bytes(run(mixture))
    assert cache.kept == whole


def test_streams_of_another_file_are_not_believed():
    intake = class_of([LEDGER, LEDGER, MAZE])
    mistaken = DictionaryCache({key_of(plan_of(MAZE)): kept_file(LEDGER)})
    assert as_bytes(run(intake, cache=mistaken)) == as_bytes(run(intake))


def test_a_file_read_in_a_lesser_way_is_not_kept(tmp_path):
    members = {"alice": {"a.java": LEDGER}, "mallory": {"a.java": LEDGER, "b.ml": ENDLESS_ML}}
    intake = collect([write_class(tmp_path / "hw1", members)], (), ())
    cache = DictionaryCache()
    chosen = Settings(jobs=1, deadline=0.3)
    expected = as_bytes(run(intake, chosen))
    for _ in range(2):
        report = run(intake, chosen, cache)
        assert as_bytes(report) == expected
        assert [file.status for file in report.submissions[1].files] == [Status.OK, Status.FALLBACK]
        assert cache.kept.keys() == {key_of(plan_of(LEDGER))}


def test_progress_counts_every_submission_once(mixture):
    cache = DictionaryCache()
    run(mixture, cache=cache)
    forgotten = sorted(cache.kept)[::2]
    for left_out in (forgotten, []):
        for key in left_out:
            del cache.kept[key]
        seen = []
        run(mixture, cache=cache, progress=lambda *said, seen=seen: seen.append(said))
        size = len(mixture.submissions)
        assert [said for said in seen if said[0] == "scanning"] == [("scanning", n, size) for n in range(1, size + 1)]


class KilledError(Exception):
    """The end of a run, wherever it is."""


def test_a_run_that_is_killed_keeps_what_it_had():
    intake = class_of([f"class A{n} {{ int f() {{ return {n}; }} }}" for n in range(150)])
    cache = DictionaryCache()

    def kill(stage, done, total):
        if done == 100:
            raise KilledError

    with pytest.raises(KilledError):
        run(intake, cache=cache, progress=kill)
    assert 50 <= len(cache.kept) < 150
    had = set(cache.kept)
    cache.puts.clear()
    run(intake, cache=cache)
    assert not had & set().union(*cache.puts)
    assert len(cache.kept) == 150


# The key.


def test_the_key_tells_texts_languages_and_spans_apart():
    text = "int a = 1;\n"
    plans = [
        plan_of(text), plan_of(text + "\n"), plan_of(text, "c"), plan_of(""), plan_of("\ud800"),
        FilePlan(text, (FilePart("java", ((0, 4),)),)),
        FilePlan(text, (FilePart("java", ((0, 4), (4, len(text)))),)),
        FilePlan(text, (FilePart("java", ((0, 4),)), FilePart("text", ((4, len(text)),)))),
    ]  # fmt: skip
    assert len({key_of(plan) for plan in plans}) == len(plans)
    assert key_of(plan_of(text)) == key_of(plan_of(text))


@pytest.fixture
def _fresh_versions():
    frontends.version_of.cache_clear()
    yield
    frontends.version_of.cache_clear()


@pytest.mark.usefixtures("_fresh_versions")
def test_the_key_changes_with_the_version_of_what_reads(monkeypatch):
    def keys():
        frontends.version_of.cache_clear()
        return key_of(plan_of("x", "java")), key_of(plan_of("x", "perl"))

    java, perl = keys()
    with monkeypatch.context() as patch:
        patch.setattr("pygments.__version__", "0.0")
        assert keys()[0] == java
        assert keys()[1] != perl
    for number in ("SCAN_VERSION", "HASH_VERSION"):
        with monkeypatch.context() as patch:
            patch.setattr(f"moss.version.{number}", 99)
            assert keys()[0] != java
            assert keys()[1] != perl
    assert keys() == (java, perl)


def test_each_text_is_hashed_once(mixture, monkeypatch):
    hashed = []
    monkeypatch.setattr(stream_cache, "digest_of", lambda text, digest=digest_of: hashed.append(text) or digest(text))
    cache = DictionaryCache()
    run(mixture, cache=cache)
    texts = [file.text for submission in mixture.submissions for file in submission.files]
    assert cache.puts
    assert sorted(hashed) == sorted(texts)


def test_a_cache_is_told_the_digests_of_texts(mixture):
    told = {}

    class Told(DictionaryCache):
        def put(self, packed, digests=None):
            super().put(packed)
            told.update(digests or {})

    run(mixture, cache=(cache := Told()))
    assert told.keys() == cache.kept.keys()
    assert set(told.values()) == {digest_of(file.text) for each in mixture.submissions for file in each.files}
