"""From what was sent to submissions: programs, names, order, handed-out code, and what could not be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.documents import docx
from support.programs import LEDGER, MAZE

from moss.comparison import compare_submissions
from moss.intake import Limits
from moss.model import Role
from moss.wire import Request, inputs_of, settings_of, submissions_of
from moss.wire.commands import tidy_name
from moss.wire.grouping import programs_of
from moss.wire.request import file_of_bytes


def request(*files, base=(), **options):
    """A request for (number, name) or (number, name, content)."""
    made = [file_of_bytes(name, number, "java", (content or [b"class A {}\n"])[0]) for number, name, *content in files]
    handed = tuple(file_of_bytes(name, 0, "java", content) for name, content in base)
    return Request("1", "java", tuple(made), handed, **options)


def programs(asked):
    return {program.id: [file.name for file in program.files] for program in programs_of(asked)}


def test_each_number_is_a_program():
    asked = request((2, "b.java"), (1, "a.java"), (2, "c.java"))
    assert programs(asked) == {"b.java": ["b.java", "c.java"], "a.java": ["a.java"]}
    assert inputs_of(asked)["paths"] == ["b.java", "a.java"]


def test_one_name_may_be_two_programs():
    asked = request((1, "a.java"), (2, "a.java"), (3, "a.java"))
    assert list(programs(asked)) == ["a.java", "a.java (2)", "a.java (3)"]


def test_with_directories_each_directory_is_a_program_and_a_nested_one_another():
    asked = request(
        (1, "hw/ann/A.java"), (2, "hw/bob/A.java"), (3, "hw/ann/B.java"), (4, "hw/ann/deep/C.java"), (5, "D.java"),
        (6, "/E.java"), directory=True,
    )  # fmt: skip
    assert programs(asked) == {
        "hw/ann": ["hw/ann/A.java", "hw/ann/B.java"],
        "hw/bob": ["hw/bob/A.java"],
        "hw/ann/deep": ["hw/ann/deep/C.java"],
        ".": ["D.java"],
        "/": ["/E.java"],
    }
    assert settings_of(asked).directory


def test_directories_without_a_slash_in_any_name_are_told_by_numbers():
    asked = request((1, "ann_A.java"), (1, "ann_B.java"), (2, "bob_A.java"), directory=True)
    assert programs(asked) == {"ann_A.java": ["ann_A.java", "ann_B.java"], "bob_A.java": ["bob_A.java"]}
    assert not settings_of(asked).directory


def test_files_keep_their_order_and_lose_their_directory():
    intake = submissions_of(request((1, "ann/B.java"), (2, "ann/A.java"), (3, "ann/A.java"), directory=True))
    (submission,) = intake.submissions
    assert [file.path for file in submission.files] == ["B.java", "A.java", "A (2).java"]
    assert (submission.id, submission.owner, submission.role) == ("ann", "ann", Role.NEW)


def test_names_that_lead_elsewhere_are_names_and_nothing_else():
    intake = submissions_of(request((1, "../../etc/passwd"), (2, "C:/x/y.java"), (3, "/"), directory=False))
    assert [s.id for s in intake.submissions] == ["../../etc/passwd", "C:/x/y.java", "/"]
    assert [s.files[0].path for s in intake.submissions] == ["passwd", "y.java", "unnamed"]


def test_what_cannot_be_read_is_listed_under_the_name_it_was_sent_with():
    intake = submissions_of(
        request((1, "ann/a.out", b"\x7fELF\0\0\0\1" * 9), (2, "bob/b.java", b"x" * 101)), Limits(file_bytes=100)
    )
    assert [(problem.path, problem.reason) for problem in intake.problems] == [
        ("ann/a.out", "a compiled program, not read as text"),
        ("ann/a.out", "no readable file"),
        ("bob/b.java", "larger than the limit of 100 bytes for one file"),
        ("bob/b.java", "no readable file"),
    ]
    assert [s.files for s in intake.submissions] == [(), ()]


def test_texts_in_old_encodings_are_decoded():
    text = "// naïve café, größer\nclass A {}\n"
    intake = submissions_of(request((1, "a.java", text.encode("cp1252")), (2, "b.java", text.encode("utf-16"))))
    assert [s.files[0].text for s in intake.submissions] == [text, text]


@pytest.mark.parametrize("directory", [False, True])
def test_the_comparison_finds_the_copy_and_not_what_was_handed_out(directory):
    own = LEDGER.encode(), MAZE.encode()
    asked = request(
        (1, "x/ann/A.java", own[0] + own[1]), (2, "x/bob/A.java", own[0]), (3, "x/cem/A.java", own[1]),
        base=[("Start.java", own[1])], directory=directory, max_matches=10, comment="c", show=5,
    )  # fmt: skip
    report = compare_submissions(submissions_of(asked), settings_of(asked), inputs_of(asked))
    tail = "" if directory else "/A.java"
    assert [(pair.a, pair.b) for pair in report.pairs] == [(f"x/ann{tail}", f"x/bob{tail}")]
    assert report.parameters["paths"] == [f"x/{name}{tail}" for name in ("ann", "bob", "cem")]
    assert report.parameters["base"] == ["Start.java"]
    wanted = {"language": "java", "directory": directory, "max_matches": 10, "comment": "c", "show": 5}
    assert wanted.items() <= report.parameters.items()


names = st.text(st.sampled_from("ab/. \\é"), max_size=8).map(tidy_name)


@given(st.lists(st.tuples(st.integers(1, 4), names), min_size=1, max_size=12), st.booleans())
def test_no_file_is_lost_and_no_two_programs_share_an_id(files, directory):
    asked = request(*files, directory=directory)
    found = programs_of(asked)
    assert sorted(file.name for program in found for file in program.files) == sorted(name for _, name in files)
    assert len({program.id for program in found}) == len(found)
    intake = submissions_of(asked)
    for submission in intake.submissions:
        assert len({file.path for file in submission.files}) == len(submission.files)
    assert sum(len(s.files) for s in intake.submissions) == len(files)


def test_a_document_that_a_client_sends_is_read():
    essay = docx([["An essay that was sent as a document."]])
    intake = submissions_of(request((1, "essay.docx", essay), (2, "broken.docx", essay[:200])), Limits())
    first, second = intake.submissions
    assert (first.files[0].text, second.files) == ("An essay that was sent as a document.\n", ())
    assert any(problem.path == "broken.docx" for problem in intake.problems)
