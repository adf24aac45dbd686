"""What is wrong with a cluster is one sentence, before anything is made."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest
from browser.tools import needed
from click.testing import CliRunner
from support.corpora import prose, write_files

from moss.cli import main
from moss.corpus.crawl.parts import CrawlPart
from moss.corpus.engines.spark_session import NO_JAVA, NO_PYSPARK, reason
from moss.corpus.engines.spark_workers import packed_code
from moss.corpus.ingest.sources import SourceFiles, anywhere


def refusal(tmp_path, *options):
    """What `moss corpus add` says when it cannot begin."""
    folder = write_files(tmp_path / "in", {"a.txt": prose(1)})
    ran = CliRunner().invoke(main, ["corpus", "add", str(tmp_path / "corpus"), str(folder), *options])
    assert ran.exit_code == 2
    assert not (tmp_path / "corpus").exists()
    return ran.stderr


def on_spark(tmp_path, master):
    return refusal(tmp_path, "--engine", "spark", "--master", master)


@pytest.fixture
def closed_port():
    """A port at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def test_a_master_that_does_not_answer(tmp_path, closed_port):
    master = f"spark://127.0.0.1:{closed_port}"
    assert on_spark(tmp_path, master) == f"moss: no Spark master answers at {master}: Connection refused\n"


def test_all_masters_are_asked(tmp_path, closed_port):
    master = f"spark://127.0.0.1:{closed_port},127.0.0.1:99999"
    assert on_spark(tmp_path, master).startswith(f"moss: no Spark master answers at {master}: ")


@pytest.mark.parametrize("master", ["127.0.0.1:7077", "spark://host", "http://host:7077", "local[two]"])
def test_what_is_no_master(tmp_path, master):
    said = on_spark(tmp_path, master)
    assert said.startswith("moss: --master must be spark://host:7077")
    assert said.count("\n") == 1


def test_pyspark_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert on_spark(tmp_path, "local[1]") == f"moss: {NO_PYSPARK}\n"


@pytest.mark.parametrize("home", [None, "no/java/here"])
def test_java_is_missing(tmp_path, monkeypatch, home):
    needed("pyspark", "pyspark")
    monkeypatch.setenv("PATH", str(tmp_path))
    if home is None:
        monkeypatch.delenv("JAVA_HOME", raising=False)
    else:
        monkeypatch.setenv("JAVA_HOME", home)
    assert on_spark(tmp_path, "local[1]") == f"moss: {NO_JAVA}\n"


def test_engine_and_master_go_together(tmp_path):
    assert "needs --master" in refusal(tmp_path, "--engine", "spark")
    assert "needs --engine spark" in refusal(tmp_path, "--master", "local[1]")


def test_the_line_that_tells_most():
    failure = "Job aborted: Task 0 failed\n  File x.py\nModuleNotFoundError: No module named 'numpy'\n\n\tat org.x.Y\n"
    assert reason(ValueError(failure)) == "ModuleNotFoundError: No module named 'numpy'"
    assert reason(ValueError("one\norg.apache.spark.SparkException: two")) == "one"
    assert reason(ValueError()) == "ValueError"


def test_the_packages_can_be_imported_from_where_they_are_sent(tmp_path):
    archive = packed_code(tmp_path / "moss-packages.zip")
    code = "import sys; sys.path.insert(0, sys.argv[1]); import moss.corpus.ingest.add as a, frontends as f; "
    code += "print(a.__file__, f.__file__)"
    ran = subprocess.run([sys.executable, "-c", code, archive], capture_output=True, text=True, check=True)
    assert ran.stdout.count(str(archive)) == 2


def test_paths_mean_the_same_in_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files, lines = anywhere(SourceFiles((("in/a", "in/a"),))), anywhere(CrawlPart("in/c", 0, 9))
    assert files == SourceFiles((("in/a", str(tmp_path / "in/a")),))
    assert lines == CrawlPart(str(tmp_path / "in/c"), 0, 9, "in/c")
