"""Crawls and corpora in a bucket of a real S3, on loopback."""

from __future__ import annotations

import gzip
import json
import shutil

import pytest
from click.testing import CliRunner
from support.corpora import add_here, prose, write_files
from support.crawls import html_page, packed, warc_of

from moss.cli import main
from moss.corpus.errors import CorpusError
from moss.corpus.ingest.sources import read_file
from moss.corpus.storage.compaction import compact
from moss.corpus.storage.manifest import read_manifest
from moss.corpus.storage.mirror import pulled
from moss.corpus.storage.segments import CorpusWriter, Snapshot

DATE = "2024-05-01T00:00:00Z"


def moss(*arguments: object):
    return CliRunner().invoke(main, ["corpus", *map(str, arguments)])


def crawl(numbers, date):
    return packed(warc_of([(f"https://h{n % 2}.example/{n}", date, html_page(prose(n, 80))) for n in numbers]))


@pytest.fixture
def store(bucket):
    import s3fs

    return s3fs.S3FileSystem(use_listings_cache=False)


def test_a_crawl_in_a_bucket_is_added_clustered_asked_changed_and_added_again(bucket, store, tmp_path):
    store.pipe_file(f"{bucket}/crawl/1.warc.gz", crawl([1, 2, 3], "2024-05-01T00:00:00Z"))
    name, data = f"{bucket}/corpora/pages", ["--data", tmp_path / "here"]
    first = moss("add", name, f"{bucket}/crawl/", "-j", 1, *data)
    assert (first.exit_code, first.output.split(":")[0]) == (0, "3 documents added"), first.output
    moved = html_page(prose(1, 80))
    changed = warc_of([("https://h9.example/new", "2024-06-01T00:00:00Z", moved)])
    store.pipe_file(f"{bucket}/crawl/2.warc.gz", packed(changed) + crawl([2], "2024-06-01T00:00:00Z"))
    elsewhere = ["--data", tmp_path / "there"]  # another machine
    second = moss("add", name, f"{bucket}/crawl/", "-j", 1, *elsewhere)
    assert second.output.startswith("2 documents added"), second.output
    assert "3 skipped" in second.output
    found = moss("clusters", name, "--json", "-", *data)
    clusters = json.loads(found.output)["clusters"]
    assert [cluster["documents"] for cluster in clusters] == [["https://h1.example/1", "https://h9.example/new"]]
    (tmp_path / "asked.txt").write_text(prose(3, 80))
    assert "https://h1.example/3" in moss("query", name, tmp_path / "asked.txt", *data).output
    assert "https://h9.example/new" in moss("locate", name, "https://h1.example/1", *data).output
    assert moss("remove", name, "https://h1.example/3", *data).exit_code == 0
    assert "https://h1.example/3" not in moss("query", name, tmp_path / "asked.txt", *elsewhere).output
    assert not (tmp_path / "s3:").exists()


def test_files_of_a_bucket_are_documents_with_the_date_of_their_last_change(bucket, store):
    store.pipe_file(f"{bucket}/essays/a.txt", b"some words")
    (found,) = read_file(f"{bucket}/essays/a.txt")
    assert (found.text, found.date is not None) == ("some words", True)
    (gone,) = read_file(f"{bucket}/essays/b.txt")
    assert "cannot be read" in gone.reason


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.wet", "a.jsonl", "a.jsonl.gz"])
def test_a_crawl_is_read_from_a_bucket_as_from_a_folder(bucket, store, tmp_path, name):
    lines = "".join(json.dumps({"url": f"u{n}", "text": prose(n, 80)}) + "\n" for n in range(4)).encode()
    plain = lines if "json" in name else b"".join(warc_of([(f"https://h/{n}", DATE, html_page("a")) for n in range(4)]))
    (tmp_path / name).write_bytes(gzip.compress(plain) if name.endswith(".gz") else plain)
    store.put_file(str(tmp_path / name), f"{bucket}/{name}")
    assert len(read_file(f"{bucket}/{name}")) == 4
    assert read_file(f"{bucket}/{name}") == read_file(str(tmp_path / name))


def test_a_file_of_a_bucket_is_asked_about(bucket, store, tmp_path):
    add_here(tmp_path / "corpus", write_files(tmp_path / "in", {"a.txt": prose(1)}))
    store.pipe_file(f"{bucket}/asked.txt", prose(1).encode())
    done = moss("query", tmp_path / "corpus", f"{bucket}/asked.txt")
    assert (done.exit_code, "in/a.txt" in done.output) == (0, True), done.output


def test_an_addition_of_nothing_leaves_nothing_in_a_bucket(bucket, store, tmp_path):
    (tmp_path / "none.jsonl").touch()
    assert moss("add", f"{bucket}/corpus", tmp_path / "none.jsonl", "--data", tmp_path / "data").exit_code == 2
    assert not store.find(f"{bucket}/corpus")
    assert not list(tmp_path.glob("data/mirrors/*"))


def test_of_two_writers_elsewhere_the_second_is_told_and_changes_nothing(bucket, store, tmp_path):
    files = [write_files(tmp_path / str(n), {"a.txt": prose(n)}) for n in range(3)]
    name = f"{bucket}/corpus"
    one, other = (pulled(name, tmp_path / where, new=True) for where in ("one", "other"))
    add_here(one, files[0])
    with pytest.raises(CorpusError, match="another process has changed the corpus at s3://"):
        add_here(other, files[1])
    names = {path.split("/")[-2] for path in store.find(f"{name}/segments")}
    assert names == {segment.name for segment in read_manifest(one).segments}
    add_here(pulled(name, tmp_path / "other"), files[1])
    assert read_manifest(pulled(name, tmp_path / "one")).documents == 2


def test_a_mirror_follows_and_what_was_replaced_is_deleted_in_the_store(bucket, store, tmp_path):
    name = f"{bucket}/corpus"
    one = pulled(name, tmp_path / "one", new=True)
    for n in range(3):
        add_here(one, write_files(tmp_path / str(n), {"a.txt": prose(n)}))
    other = pulled(name, tmp_path / "other")
    with Snapshot(other) as reading:
        with CorpusWriter(one) as writer:
            compact(writer)
        assert len({path.split("/")[-2] for path in store.find(f"{name}/segments")}) == 1
        pulled(name, tmp_path / "other")
        assert all(path.exists() for path in reading.paths("documents"))
    assert len(read_manifest(other).segments) == 1
    shutil.rmtree(other)
    assert read_manifest(pulled(name, tmp_path / "other")).documents == 3
    assert len(store.find(f"{name}/manifests")) <= 5


def test_what_is_not_there_or_not_known_is_refused_with_a_sentence(bucket, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = ["--data", tmp_path]
    for arguments, sentence in (
        (["list", f"{bucket}/none"], "no corpus at s3://"),
        (["add", tmp_path / "c", f"{bucket}/none"], "there is nothing at s3://"),
        (["add", "foo://bucket/x", tmp_path], "foo:// cannot be read"),
        (["add", tmp_path / "c", "foo://bucket/x"], "foo:// cannot be read"),
        (["clusters", "https://example.org/x"], "https:// cannot be read"),
        (["add", "S3://bucket/x", tmp_path], "S3:// cannot be read"),
        (["add", "s3://", tmp_path], "s3:// names no bucket"),
        (["add", "S3:/bucket/x", tmp_path], "S3:/bucket/x has one slash too few for a URL"),
        (["add", "foo:/x", tmp_path], "foo:/x has one slash too few"),
        (["add", tmp_path / "c", "s3:/bucket/x"], "s3:/bucket/x has one slash too few"),
        (["near", f"{bucket}/none"], "no corpus at s3://"),
        (["add", "s3://no-such-bucket-here/x", tmp_path], "s3://no-such-bucket-here"),
    ):
        done = moss(*arguments, *data)
        assert done.exit_code == 2, done.output
        assert sentence in done.output, done.output
    assert not list(tmp_path.glob("*:"))
    assert not [mirror for mirror in tmp_path.glob("mirrors/*") if "no-such-bucket" not in mirror.name]
