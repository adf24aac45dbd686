"""Reading: whatever a scanner does, every submission is read, and nothing untrusted is run where it could do harm."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import replace

import pytest

import frontends
from moss.comparison import scan_pool
from moss.comparison.scan import Scanner
from moss.comparison.scan_pool import read_all
from moss.comparison.scanned_files import FilePart, FilePlan
from moss.model import Status

TEXT = "my $x = 1;\n"

pytestmark = pytest.mark.usefixtures("forking")


def plan(language):
    return FilePlan(TEXT, (FilePart(language, ((0, len(TEXT)),)),))


class AsGiven(tuple):
    """What was given, as if it had been read."""

    def split(self):
        return list(self)

    def bags_of(self, numbers):
        return {}


class DiesOfTwo:
    """Reads one file, and takes its process along with two; what it was given at home, it gives back."""

    def scan_batch(self, submissions):
        if multiprocessing.parent_process() is None:
            return AsGiven(submissions)
        if any(len(files) > 1 for files in submissions):
            os._exit(1)
        return Scanner(None, {}, None).scan_batch(submissions)


def languages(files):
    return [part.language for file in files for part in file.parts]


def test_if_no_file_is_to_blame_alone_no_untrusted_one_is_read_at_home():
    read = read_all([(plan("perl"), plan("java"), plan("lua"))], DiesOfTwo(), 1, 10.0)
    [files] = read.scanned
    assert languages(files) == ["generic", "java", "generic"]
    assert "crashed" in files[0].fallback


def test_one_student_cannot_stall_a_class(tmp_path, monkeypatch):
    """Of twelve files that each would take for ever one is tried, once; the others are read in the simpler way."""
    tried = tmp_path / "tried"

    def endless(text):
        with tried.open("a") as file:
            file.write("x")
        while True:
            pass

    monkeypatch.setattr(scan_pool, "_PATIENCE", 100)  # however busy the machine is
    monkeypatch.setitem(frontends._names(), "ml", replace(frontends.by_name("ml"), scan=endless))
    read = read_all([(plan("ml"),) * 12, (plan("java"), plan("lua"))], Scanner(None, {}, None), 1, 0.2)
    assert tried.read_text() == "x"
    hostile, honest = (files.files for files in read.scanned)
    assert {file.status for file in hostile} == {Status.FALLBACK}
    assert hostile[0].reason.startswith("the ml scanner used up the submission's computing time")
    assert {file.reason.partition(" used")[0] for file in hostile[1:]} == {"another file"}
    assert [file.status for file in honest] == [Status.OK, Status.OK]


def test_what_cannot_be_interrupted_is_killed_and_not_tried_again(tmp_path, monkeypatch):
    import signal
    import time

    tried = tmp_path / "tried"

    def deaf(text):
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        with tried.open("a") as file:
            file.write("x")
        while True:
            time.sleep(1)  # which uses up no computing time either

    monkeypatch.setattr(scan_pool, "_PATIENCE", 60)  # a busy machine takes a while to begin
    monkeypatch.setitem(frontends._names(), "ml", replace(frontends.by_name("ml"), scan=deaf))
    read = read_all([(plan("ml"), plan("ml"), plan("java"))], Scanner(None, {}, None), 1, 0.1)
    assert tried.read_text() == "x"
    assert [file.status for file in read.scanned[0].files] == [Status.FALLBACK, Status.FALLBACK, Status.OK]
