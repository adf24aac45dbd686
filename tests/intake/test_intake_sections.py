"""Sections side by side, and what becomes of downloads that nobody has ever seen."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.downloads import EXPORTS
from support.downloads import LOGINS as ACCOUNTS
from support.downloads import STUDENTS as CLASS
from support.handed_in import LOGINS, NATURAL, SORTED, STUDENTS, read_right, whose, work

from moss.intake import collect
from moss.intake.entries import Entry
from moss.intake.plain_sections import doubts, plain_sections
from moss.intake.platforms import people_in, recognise


def moodle(numbers):
    return {f"{NATURAL[n]}_{4000 + n}_assignsubmission_file/hw1.py": work(LOGINS[n]) for n in numbers}


def packed(zipped, files):
    return zipped([(name, text.encode()) for name, text in files.items()])


@pytest.mark.parametrize("again", [False, True], ids=["in a folder", "in a zip"])
def test_the_zips_of_several_sections_are_no_students(tree, zipped, again):
    zips = {"Mon.zip": packed(zipped, moodle(range(5))), "Tue.zip": packed(zipped, moodle(range(5, 12)))}
    folder = tree({"all.zip": zipped(list(zips.items()))} if again else zips)
    intake = collect([folder / "all.zip" if again else folder])
    assert read_right(intake, "moodle")
    assert {each.section for each in intake.submissions} == {"Mon", "Tue"}


def of_other_people(text):
    """What a download would say if it were of another section of the course."""
    ids = ("aB3xY", "Qw9Rt", "Zx8Cv", "Mn2Bv", "Kj4Hg", "Pl5Ok")
    firsts = [student.partition(" ")[0] for student in CLASS]
    for each in (*ids, *ACCOUNTS, *(first for first in firsts if first != "Li"), *map(str.lower, firsts)):
        text = re.sub(rf"(?<![^\W_]){re.escape(each)}", f"Q{each}", text)
    return text


@pytest.mark.parametrize("build", EXPORTS, ids=lambda build: build.__name__)
def test_two_sections_side_by_side_are_not_two_students(build, tree):
    export = build()
    files = {f"Mon/{path}": text for path, text in export.files.items()}
    files |= {f"Tue/{of_other_people(path)}": of_other_people(text) for path, text in export.files.items()}
    intake = collect([tree(files)])
    assert [download.layout for download in intake.downloads] == [export.layout]
    assert sum(not each.age for each in intake.submissions) in (11, 12)  # namesakes in two sections may be one


# Nobody's: classes of a shape that nobody has seen.


def test_a_folder_for_each_task_is_no_student(tree):
    files = {f"{task}/{login}/a.py": work(login) for task in ("Q1 - Sorting", "Q2 - Graphs") for login in LOGINS}
    intake = collect([tree(files)])
    assert read_right(intake, "none")
    assert "each is a task" in intake.downloads[0].why


def test_a_folder_for_each_task_is_no_section_of_a_platform_either(tree):
    files = {f"t{n}/{login}/2024-01-31-23-59-59/a.py": work(login) for n in (1, 2) for login in LOGINS}
    assert read_right(collect([tree(files)]), "vpl")


def test_a_team_in_ilias_is_no_section(tree):
    files = {
        f"HW/Submissions/Team {n // 3}/Doe_{login}_{login}x_{200 + n}/hw1.py": work(f"team {n // 3}")
        for n, login in enumerate(["ada", "bob", "cem", "dan", "eva", "fay", "gus", "hal", "ida", "jan", "kim", "leo"])
    }
    assert read_right(collect([tree(files)]), "none", [f"team {n}" for n in range(4)])


def test_a_folder_for_each_section_is_no_student(tree):
    files = {f"{'Mon' if n % 2 else 'Tue'}/{login}/a.py": work(login) for n, login in enumerate(LOGINS)}
    intake = collect([tree(files)])
    assert read_right(intake, "none")
    assert {each.section for each in intake.submissions} == {"Mon", "Tue"}
    files = {f"Group {n % 2}/{login}.py": work(login) for n, login in enumerate(LOGINS)}
    assert "could be sections" in collect([tree(files, "groups")]).downloads[0].doubts[0]


@pytest.mark.parametrize(
    "folders",
    [
        {"ann": ["src", "docs", "lib"], "bob": ["client", "server", "report"]},  # projects
        {"red": ["api", "ui", "db", "ops"], "blue": ["engine", "render", "audio", "net"]},
        {name: [f"p{n}/2024-01-31-23-59-59" for n in (1, 2, 3)] for name in ("ann", "bob", "cem", "dan")},
        {name: [f"p{n}/Submission attachment(s)" for n in (1, 2, 3)] for name in ("ann", "bob", "cem")},
        {"ann": [f"ex{n}" for n in range(9)], "bob": [f"ex{n}" for n in range(9)]},
        {"student 1": ["sorting", "graphs", "trees", "sets", "maps", "heaps"],
         "student 2": ["sorting", "graphs", "trees", "sets", "maps", "heaps"]},
        {"ann": ["sorting", "graphs", "trees", "sets", "maps", "heaps"],
         "bob": ["sorting", "graphs", "trees", "sets", "maps", "heaps"]},
    ],
)  # fmt: skip
def test_students_with_many_folders_stay_students(tree, folders):
    files = {f"{student}/{folder}/a.py": work(student) for student, some in folders.items() for folder in some}
    assert sorted(whose(collect([tree(files)]))) == sorted([student] for student in folders)


def test_a_folder_around_a_class_is_no_student_but_one_around_files_may_be(tree):
    assert read_right(collect([tree({f"hw1/{login}/a.py": work(login) for login in LOGINS})]), "none")
    intake = collect([tree({f"ann/{name}.py": work("ann") for name in "abc"}, "late")])
    assert whose(intake) == [["ann"]]
    assert "only folder" in intake.downloads[0].doubts[0]
    assert len(collect([tree({f"ann/{name}/a.py": work("ann") for name in "abc"}, "one")], whole=True).submissions) == 1


def test_files_whose_names_begin_with_students_are_joined_only_if_asked(tree):
    folder = tree({f"hw1_{login}_{file}.py": work(login) for login in LOGINS for file in ("main", "util")})
    intake = collect([folder])
    assert len(intake.submissions) == 2 * len(LOGINS)
    assert "begin in 12 ways (alovelace" in intake.downloads[0].doubts[0]
    assert read_right(collect([folder], layout="start"), "start")


def test_addresses_are_not_those_of_graders(tree):
    files = {f"ta{n % 2}@school.edu_{login}.py": work(login) for n, login in enumerate(LOGINS)}
    assert read_right(collect([tree(files)]), "none")


names = st.lists(st.sampled_from(range(len(STUDENTS))), min_size=3, max_size=12, unique=True)
pieces = {
    "title": lambda n: "Sorting", "natural": lambda n: NATURAL[n], "sorted": lambda n: SORTED[n],
    "login": lambda n: LOGINS[n], "address": lambda n: f"{LOGINS[n]}@school.edu", "course": lambda n: "20251",
    "number": lambda n: str(481500 + 17 * n), "late": lambda n: "LATE" if n % 3 else "on time",
    "time": lambda n: f"2025-10-0{n % 9 + 1} 22-05-00", "bracketed": lambda n: f"({LOGINS[n]})",
}  # fmt: skip
telling = ("login", "address", "number", "bracketed")


@st.composite
def unseen(draw):
    """The files of a download that nobody has seen, each with whose it is; and how many each student has."""
    parts = draw(st.lists(st.sampled_from(list(pieces)), min_size=1, max_size=4, unique=True))
    parts += [] if set(parts) & set(telling) else [draw(st.sampled_from(telling))]
    separator = draw(st.sampled_from(["_", "-", " - ", " ", "__"]))
    files = draw(st.lists(st.sampled_from(["main.py", "util.py", "Sorting.java"]), min_size=1, max_size=3, unique=True))
    folders = draw(st.booleans())
    found = {}
    for number in draw(names):
        name = separator.join(pieces[part](number) for part in parts)
        for file in files:
            found[f"{name}/{file}" if folders else f"{name}{separator}{file}"] = number
    return found, 1 if folders else len(files)


@settings(deadline=None, max_examples=300)
@given(unseen())
def test_no_two_students_become_one_and_if_one_may_have_become_two_that_is_said(case):
    files, each = case
    entries = [Entry(name, lambda: iter([b"x"])) for name in files]
    found = recognise(entries, lambda path: None)
    if not found:
        assert not plain_sections(entries)
        assert each == 1 or list(doubts(entries))
        return
    owners = [{files[work.entry.path] for work in works} for works in people_in(found.works).values()]
    assert all(len(owner) == 1 for owner in owners)
    tops = {entry.path.partition("/")[0]: files[entry.path] for entry in entries}
    owners += [{tops[name]} for name in found.others]
    assert len(owners) == len(set(files.values()))
