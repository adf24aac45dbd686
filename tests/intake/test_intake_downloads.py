"""Downloads of every platform, as folder and as zip, also wrapped and with what other programs add."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.downloads import EXPORTS

from moss.intake import IntakeError, collect
from moss.intake.entries import Entry
from moss.intake.platform_rules import PLATFORMS
from moss.intake.platforms import DOLOS, LAYOUTS, people_in, recognise


def newest(intake):
    return [submission for submission in intake.submissions if not submission.age]


def as_folder(export, tree, tmp_path, zipped):
    return tree(export.files)


def as_wrapped_folder(export, tree, tmp_path, zipped):
    return tree({f"download/{path}": content for path, content in export.files.items()})


def as_zip(export, tree, tmp_path, zipped):
    leftovers = [("__MACOSX/._hw1.py", b"\0\5\x16\7"), (".DS_Store", b"\0\0\0\1Bud1")]
    path = tmp_path / "download.zip"
    path.write_bytes(zipped([*((name, text.encode()) for name, text in export.files.items()), *leftovers]))
    return path


def as_wrapped_zip(export, tree, tmp_path, zipped):
    path = tmp_path / "download.zip"
    path.write_bytes(zipped([(f"hw 1/{name}", text.encode()) for name, text in export.files.items()]))
    return path


@pytest.mark.parametrize("given_as", [as_folder, as_wrapped_folder, as_zip, as_wrapped_zip])
@pytest.mark.parametrize("build", EXPORTS, ids=lambda build: build.__name__)
def test_a_download_is_read_as_its_platform_wrote_it(build, given_as, tree, tmp_path, zipped):
    export = build()
    intake = collect([given_as(export, tree, tmp_path, zipped)])
    assert [download.layout for download in intake.downloads] == [export.layout]
    assert {s.owner: sorted(f.path for f in s.files) for s in newest(intake)} == export.owners
    assert all("an older one" not in file.text for s in newest(intake) for file in s.files)
    first = next(s for s in newest(intake) if s.owner == next(iter(export.owners)))
    assert [s.age for s in intake.submissions if s.owner == first.owner if s.age] == sorted(range(1, export.older + 1))[
        ::-1
    ]
    assert (first.time, first.section) == (export.time, export.section)
    told = {problem.path for problem in intake.problems}
    assert all(any(path.endswith(own) for path in told) for own in export.own)
    texts = [file.text for s in intake.submissions for file in s.files]
    assert len(texts) + len(told) >= len(export.files)
    assert all("<p>" not in text for text in texts)


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: platform.key)
def test_the_example_in_each_row_is_what_its_patterns_recognise(platform):
    child, _, rest = platform.example.partition("/")
    pattern = platform.folders if rest else platform.files
    assert pattern is not None
    assert pattern.fullmatch(child)


def test_a_layout_can_be_forced_where_too_little_fits(tree):
    files = {"ada_1_2_a.py": "1", "bob_3_4_a.py": "2", "carol.py": "3", "dan.py": "4"}
    intake = collect([tree(files)])
    assert [download.layout for download in intake.downloads] == ["none"]
    assert "2 of 4 names could be of Canvas" in intake.downloads[0].doubts[0]
    forced = collect([tree(files)], layout="canvas")
    assert sorted(s.owner for s in forced.submissions) == ["ada", "bob", "carol", "dan"]


@pytest.mark.parametrize(
    ("layout", "names", "students"),
    [
        ("github", ["lab-ada/a.py", "lab-bob/a.py"], {"ada", "bob"}),
        ("ilias", ["Doe_Jane_jdoe_1/a.py", "Doe_Jane_jdoe2_2/a.py"], {"Jane Doe_1", "Jane Doe_2"}),
        ("sakai", ["Doe, Jane(jdoe)/a.py", "Roe, Al(aroe)/a.py"], {"Jane Doe", "Al Roe"}),
        ("submitty", ["ada/1/a.py", "ada/2/a.py", "bob/1/a.py"], {"ada", "bob"}),
        ("classroom", ["Robots - Jane Doe.txt", "Robots - Al Roe.txt"], {"Robots"}),
        ("contest", ["20231_jane_A.cpp", "20232_jane_A.cpp", "20233_bob_B.cpp"], {"jane", "bob"}),
        ("gradescope", ["submission_1/a.py", "submission_2/a.py"], {"submission_1", "submission_2"}),
    ],
)
def test_a_forced_layout_is_followed_where_it_is_not_certain(tree, layout, names, students):
    found = collect([tree(dict.fromkeys(names, "x = 1\n"))], layout=layout)
    assert {submission.owner for submission in found.submissions} == students


def test_a_download_that_nobody_has_unpacked_is_read_in_its_folder(tree, zipped, layout):
    inside = zipped([("ada_111_222_a.py", b"a"), ("bob_333_444_a.py", b"b")])
    root = tree({"submissions.zip": inside, "grades.csv": "Ada,1", ".DS_Store": "x"})
    intake = collect([root])
    assert layout(intake) == {"ada": ["a.py"], "bob": ["a.py"]}
    assert {problem.path for problem in intake.problems} == {"grades.csv", ".DS_Store"}
    alone = tree({"alice.zip": zipped([("a.py", b"a"), ("b.py", b"b")])}, "ordinary")
    assert layout(collect([alone])) == {"alice": ["a.py", "b.py"]}


def test_the_layout_none_reads_no_names(tree):
    intake = collect([tree({"ada_1_2_a.py": "1", "bob_3_4_a.py": "2"})], layout="none")
    assert sorted(s.owner for s in intake.submissions) == ["ada_1_2_a", "bob_3_4_a"]


def test_a_layout_that_fits_nothing_or_does_not_exist_is_wrong_usage(tree):
    root = tree({"ada/a.py": "1", "bob/a.py": "2"})
    with pytest.raises(IntakeError, match=r"nothing in .* fits --layout autolab"):
        collect([root], layout="autolab")
    with pytest.raises(IntakeError, match="unknown layout 'kanvas'; the layouts are auto, none, moodle"):
        collect([root], layout="kanvas")
    assert {"auto", "none", "dolos"} | {platform.key for platform in PLATFORMS} == set(LAYOUTS)


def test_a_page_that_a_student_handed_in_is_web_homework(tree):
    page = "<html><body><p>My page</p></body></html>"
    intake = collect([tree({"ada_1_2_index.html": page, "bob_3_text.html": page})])
    texts = {s.owner: s.files[0].text for s in intake.submissions}
    assert texts["ada"] == page
    assert texts["bob"].strip() == "My page"


def test_namesakes_in_brightspace_stay_apart_and_who_hands_in_again_does_not(tree):
    names = ["11-9 - Li Wei - Oct 3, 2025 1005 PM", "12-9 - Li Wei - Oct 3, 2025 1106 PM",
             "11-9 - Li Wei - Oct 4, 2025 1005 PM", "13-9 - Bo Li - Oct 4, 2025 1005 PM"]  # fmt: skip
    intake = collect([tree({f"{name}/a.py": name for name in names})])
    assert sorted((s.owner, s.age) for s in intake.submissions) == [
        ("Bo Li", 0), ("Li Wei_11", 0), ("Li Wei_11", 1), ("Li Wei_12", 0),
    ]  # fmt: skip


def test_titles_before_names_are_no_students(tree):
    names = ["Robots - Jane Doe.txt", "Robots - Bo Li.txt", "The Sea - Ada Byron.txt", "The Sea - Al Turing.txt"]
    intake = collect([tree(dict.fromkeys(names, "x"))])
    assert sorted(s.id for s in intake.submissions) == sorted(names)


def test_students_numbers_before_names_are_no_attempts(tree):
    names = ["20231_jane_A.cpp", "20232_jane_A.cpp", "20233_bob_B.cpp"]
    assert {s.id for s in collect([tree(dict.fromkeys(names, "x"))]).submissions} == set(names)


def test_tasks_before_users_are_no_users(tree):
    users = ["jdoe", "bo", "al"]
    names = [f"{9000 + 10 * n + m}_{task}_{user}.py" for n, user in enumerate(users) for m, task in enumerate("AABB")]
    assert {s.id for s in collect([tree(dict.fromkeys(names, "x"))]).submissions} == set(names)


def test_numbered_folders_without_a_sign_of_submitty_are_one_submission(tree, layout):
    files = {f"{name}/{number}/a.py": "x" for name in ("ada", "bob") for number in (1, 2)}
    assert layout(collect([tree(files)])) == {"ada": ["1/a.py", "2/a.py"], "bob": ["1/a.py", "2/a.py"]}


def test_a_folder_for_each_section_is_one_class_and_equal_names_stay_apart(tree):
    files = {
        f"{section}/{name}_{number}_assignsubmission_file_/a.py": section
        for section, number, name in (("Mon", 1, "Jane Doe"), ("Mon", 2, "Bo Li"), ("Tue", 3, "Jane Doe"))
    }
    intake = collect([tree(files | {"grades.csv": "x"})])
    assert sorted((s.owner, s.section) for s in intake.submissions) == [
        ("Bo Li", "Mon"), ("Jane Doe (Mon)", "Mon"), ("Jane Doe (Tue)", "Tue"),
    ]  # fmt: skip


def test_a_folder_for_each_homework_is_one_submission_of_each_account(tree, layout):
    files = {
        f"Homework{number}/{login}@school.edu_1_sorting_1_1_{place}{number}_a.py": "x"
        for number in (1, 2)
        for place, login in enumerate(("ada", "bob"), 10)
    }
    found = layout(collect([tree(files)]))
    assert sorted(map(tuple, found.values())) == [("Homework1/a.py", "Homework2/a.py")] * 2


def test_folders_in_students_folders_are_no_sections(tree):
    files = {f"{name}/lab-1-{part}/a.py": "x" for name in ("ada", "bob") for part in ("x", "y", "z")}
    assert sorted(s.owner for s in collect([tree(files)]).submissions) == ["ada", "bob"]


@pytest.mark.parametrize(
    ("names", "students"),
    [
        # Each with the same two files: the files are the titles, not the students.
        ([f"{name} - {file}" for name in ("Jo Doe", "Al Roe", "Bo Li") for file in ("a.py", "b.py")],
         {"Jo Doe", "Al Roe", "Bo Li"}),
        # All have the homework, and each another file beside it.
        ([f"{name} - {file}" for name in ("Jo Doe", "Al Roe", "Bo Li") for file in ("hw1.py", f"{name[:2]}x.py")],
         {"Jo Doe", "Al Roe", "Bo Li"}),
        # Attempts behind, in another alphabet, with accounts that have underscores.
        ([f"{user}_{task}_{9000 + 10 * n + m}.py" for n, user in enumerate(("j_doe", "ali", "bo", "王")) for m, task in
          enumerate(("aplusb", "graph"))], {"j_doe", "ali", "bo", "王"}),
        # Numbers of users with a name each, and no space before the hyphen.
        (["9-1 - Jo Doe- 25 September, 2013 1030 AM - a.py", "8-1 - Al Roe- 1 okt. 2013 10.30 - a.py"],
         {"Jo Doe", "Al Roe"}),
        (["-Jo Doe_1_assignsubmission_file_/a.py", "-Bo-Al Li_2_assignsubmission_file_/a.py"], {"Jo Doe", "Bo-Al Li"}),
        (["Tutorium Mo-Jo Doe_1_assignsubmission_file_/a.py", "Al-Bo Roe_2_assignsubmission_file_/a.py"],
         {"Jo Doe", "Al-Bo Roe"}),
        (["Red-Jo Doe_1_assignsubmission_file_a.py", "Red-Al Roe_2_assignsubmission_file_a.py",
          "Blue-Bo Li_3_assignsubmission_file_a.py", "Blue-Cy Day_4_assignsubmission_file_a.py"],
         {"Jo Doe", "Al Roe", "Bo Li", "Cy Day"}),
        (["Participant_11_assignsubmission_file_a.py", "Participant_12_assignsubmission_file_a.py"],
         {"Participant_11", "Participant_12"}),
        (["HW_1_a_doe_Versuch_2025-01-31-10-20-30_a.py", "HW_1_broe_Versuch_2025-01-31-10-20-30_a.py"],
         {"a_doe", "broe"}),
        (["王小明_123_456_a.py", "李雷_124_457_a.py"], {"王小明", "李雷"}),
        (["Doe, Jane(jdoe)_Submission attachment(s)_a.py", "Doe, Jane(jdoe)_timestamp.txt",
          "Roe, Al(aroe)_Submission attachment(s)_a.py"], {"Jane Doe", "Al Roe"}),
        (["Jane.Doe+x@mail.school.edu_1_a.py", "jane.doe+x@mail.school.edu_2_a.py", "bo@school.edu_1_a_1_b.py"],
         {"Jane.Doe+x@mail.school.edu", "bo@school.edu"}),
        (["jdoe@school.edu_1_lab_3_a.py", "bo@school.edu_1_lab_3_a.py"], {"jdoe@school.edu", "bo@school.edu"}),
        ([f"{9000 + n}_{user}_A.py" for n, user in enumerate(("jdoe", "bo", "jdoe", "al", "bo", "li"))],
         {"jdoe", "bo", "al", "li"}),
        (["Jose\u0301 Li_1_assignsubmission_file_/a.py", "Al Roe_2_assignsubmission_file_/a.py"],
         {"Jos\u00e9 Li", "Al Roe"}),
        (["red_1_sorting_1_1_901_a.py", "blue_1_sorting_1_1_902_a.py"], {"red", "blue"}),
    ],
)  # fmt: skip
def test_names_as_platforms_write_them_elsewhere(tree, names, students):
    assert {s.owner for s in collect([tree(dict.fromkeys(names, "x = 1\n"))]).submissions} == students


# An ordinary class: whatever people call folders and files when no platform does.
words = st.sampled_from(
    ["anne", "Jane Doe", "bob", "lab", "hw1", "week", "2024", "1", "12", "final", "copy (2)", "van", "de", "a.b", "Li"]
)
ordinary = st.lists(
    st.builds(lambda parts, sep, end: sep.join(parts) + end, st.lists(words, min_size=1, max_size=5),
              st.sampled_from(["_", "-", " - ", " ", "."]), st.sampled_from([".py", ".java", ".txt"])),
    min_size=2, max_size=8, unique=True,
)  # fmt: skip


STUDENTS = ("anna", "bob", "Jane Doe", "Li Wei", "Bo Li", "al-amin", "de-vries", "o'neil", "jdoe12", "s1234567", "u88")
TITLES = ("hw1", "hw2", "lab1", "Lab 2", "project", "essay", "A", "B", "p1", "Robots", "The Sea")
NUMBERS = (lambda student: 2024, lambda student: 1000 + STUDENTS.index(student), lambda student: len(student))


@st.composite
def classes(draw):
    """The files of a class that names them by rules of its own, by whose they are."""
    parts = draw(st.lists(st.sampled_from("STN"), min_size=1, max_size=4).filter(lambda parts: "S" in parts))
    separator = draw(st.sampled_from(["_", "-", " - ", " ", "."]))
    ending = draw(st.sampled_from([".py", ".txt", "/a.py"]))
    number = draw(st.sampled_from(NUMBERS))
    files = {}
    for student in draw(st.lists(st.sampled_from(STUDENTS), min_size=3, max_size=9, unique=True)):
        for title in draw(st.lists(st.sampled_from(TITLES), min_size=1, max_size=2)):
            said = {"S": student, "T": title, "N": str(number(student))}
            files[separator.join(said[part] for part in parts) + ending] = student
    return files


@settings(deadline=None, max_examples=250)
@given(classes())
def test_two_students_of_an_ordinary_class_are_never_taken_for_one(files):
    found = recognise([Entry(name, lambda: iter([b"x"])) for name in files], lambda path: None)
    for works in people_in(found.works).values() if found else ():
        assert len({files[work.entry.path] for work in works}) == 1


firsts = st.sampled_from(["Anne-Marie", "Jean-Luc", "Bo", "Li", "van-der-Berg", "O'Neil"])
lasts = st.sampled_from(["Wei", "Doe", "García-López", "Weiß", "Smith Jr."])
accounts = st.sampled_from(
    [
        "anna",
        "bob",
        "li",
        "de-vries",
        "de-jong",
        "van-der-meer",
        "al-amin",
        "jean-luc",
        "mary-ann",
        "team-red",
        "o-neil",
    ]
)


@settings(deadline=None, max_examples=200)
@given(ordinary)
def test_files_of_an_ordinary_class_are_never_joined(names):
    found = recognise([Entry(name, lambda: iter([b"x"])) for name in names], lambda path: None)
    for works in people_in(found.works).values() if found else ():
        assert len(works) == 1
    assert found is None or len(found.works) + len(found.others) == len(names)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.builds("{} {}".format, firsts, lasts), min_size=2, max_size=8, unique=True))
def test_double_names_stay_whole_in_moodle(names):
    entries = [Entry(f"{name}_{n}_assignsubmission_file_a.py", lambda: iter([b"x"])) for n, name in enumerate(names)]
    found = recognise(entries, lambda path: None)
    assert found is not None
    assert [work.who.label for work in found.works] == sorted(names, key=lambda name: f"{name}_")


@settings(deadline=None, max_examples=200)
@given(st.lists(accounts, min_size=2, max_size=12, unique=True))
def test_folders_named_by_people_keep_their_names(names):
    entries = [Entry(f"{name}/a.py", lambda: iter([b"x"])) for name in names]
    assert recognise(entries, lambda path: None) is None


def test_the_table_in_the_documentation_has_every_platform_and_a_download_of_each_is_tested():
    page = Path("docs/upload.md").read_text()
    rows = re.findall(r"^\| `([\w-]+)` \| ([^|]+) \| `([^`]+)`", page, re.MULTILINE)
    known = {platform.key: (platform.title, platform.example) for platform in (*PLATFORMS, DOLOS)}
    assert {key: (title, example) for key, title, example in rows} == known
    assert {build().layout for build in EXPORTS} == {*known} - {p.key for p in PLATFORMS if p.only_asked}
