"""Small files that unpack to much work: each costs what an ordinary one with as much in it does, or is refused."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile

from hypothesis import given
from hypothesis import strategies as st

from moss.intake import collect, source_files
from moss.intake.notebooks import MOST_CELLS, extract

PROGRAM = b"int main(void) { return 0; }\n"
REFUSED = "refused, because its archives claim far more files than could fit in them"


def zipped(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def nested(width, depth):
    """A program, `width` to the power of `depth` times, in a few kilobytes."""
    inner = PROGRAM
    for level in range(depth):
        ending = "zip" if level else "c"
        inner = zipped((f"{number}.{ending}", inner) for number in range(width))
    return inner


def opened(monkeypatch):
    """The archives that are unpacked from now on."""
    found, original = [], source_files.archive_entries

    def counted(*given):
        found.append(given)
        return original(*given)

    monkeypatch.setattr(source_files, "archive_entries", counted)
    return found


def hand_in(folder, name, content):
    (folder / "alice").mkdir(parents=True)
    (folder / "alice" / name).write_bytes(content)
    return collect([folder])


def test_archives_in_archives_do_not_multiply(tmp_path, monkeypatch):
    unpacked, bomb = opened(monkeypatch), nested(16, 4)
    assert len(bomb) < 20_000
    intake = hand_in(tmp_path, "homework.zip", bomb)
    assert len(unpacked) < 200  # of 4,369
    assert sum(len(submission.files) for submission in intake.submissions) < 1500  # of 65,536
    assert REFUSED in {problem.reason for problem in intake.problems}


def test_a_class_of_archives_of_small_programs_is_read_whole(tmp_path):
    students = [zipped((f"task{n}.c", b"int x%d = %d;\n" % (n, s)) for n in range(30)) for s in range(100)]
    inside = zipped((f"student{s}/homework.zip", content) for s, content in enumerate(students))
    (tmp_path / "class.zip").write_bytes(inside)
    intake = collect([tmp_path / "class.zip"])
    assert [len(submission.files) for submission in intake.submissions] == [30] * 100
    assert intake.problems == ()


def test_one_flat_archive_of_many_small_files_is_read_whole(tmp_path):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for number in range(3000):
            member = tarfile.TarInfo(f"{number}.c")
            member.size = len(PROGRAM)
            archive.addfile(member, io.BytesIO(PROGRAM))
    intake = hand_in(tmp_path, "homework.tar.gz", file.getvalue())
    assert len(intake.submissions[0].files) == 3000


def notebook(sources):
    cells = [{"cell_type": "code", "source": source} for source in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_cells_beyond_what_anybody_writes_are_one(tmp_path):
    sources = [f"x{number} = {number}" for number in range(5 * MOST_CELLS)]
    intake = hand_in(tmp_path, "homework.ipynb", notebook(sources).encode())
    (file,) = intake.submissions[0].files
    assert file.text == "".join(f"{source}\n" for source in sources)
    assert len(file.cells) == MOST_CELLS + 1
    assert file.cells[-1].label == f"cells {MOST_CELLS + 1} to {5 * MOST_CELLS}"
    assert [problem.reason for problem in intake.problems] == [
        "it has more than 2,000 cells; the rest are compared as one"
    ]


@given(st.integers(0, 3), st.integers(0, 5))
def test_cells_cover_the_text_up_to_the_limit_and_behind_it(missing, more):
    text, cells = extract(notebook(["a = 1"] * (MOST_CELLS - missing + more)))
    assert "".join(text[cell.start : cell.end].strip("\n") + "\n" for cell in cells) == text
    assert len(cells) == min(MOST_CELLS - missing + more, MOST_CELLS + 1)
