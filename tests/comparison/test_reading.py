"""Reading: whatever a scanner does, every submission is read, and nothing untrusted is run where it could do harm."""

from __future__ import annotations

import multiprocessing
import os

from moss.comparison.reading import read_all
from moss.comparison.scanned import FilePlan, Part
from moss.comparison.scanning import Scanner

TEXT = "my $x = 1;\n"


def plan(language):
    return FilePlan(TEXT, (Part(language, ((0, len(TEXT)),)),))


class AsGiven(tuple):
    """What was given, as if it had been read."""

    def split(self):
        return list(self)

    def bags_of(self, numbers):
        return {}


class DiesOfTwo:
    """Reads one file, and takes its process along with two; what it was given at home, it gives back."""

    def together(self, submissions):
        if multiprocessing.parent_process() is None:
            return AsGiven(submissions)
        if any(len(files) > 1 for files in submissions):
            os._exit(1)
        return Scanner(None, {}, None).together(submissions)


def languages(files):
    return [part.language for file in files for part in file.parts]


def test_if_no_file_is_to_blame_alone_no_untrusted_one_is_read_at_home():
    read = read_all([(plan("perl"), plan("java"), plan("lua"))], DiesOfTwo(), 1, 10.0)
    [files] = read.scanned
    assert languages(files) == ["generic", "java", "generic"]
    assert "crashed" in files[0].fallback
