"""Downloads as platforms really write them, which their sources and the scripts of people who use them show."""

import re
import unicodedata

import pytest
from support.handed_in import LOGINS, NATURAL, SORTED, STUDENTS, read_right, whose, work

from moss.intake import collect


def canvas_name(name):
    return "".join(c for c in name.lower() if c == "_" or unicodedata.category(c)[0] in "LMN")


def canvas():
    files = {}
    for number, (login, name) in enumerate(zip(LOGINS, SORTED, strict=True)):
        start = f"{canvas_name(name)}{'_LATE' * (number % 4 == 0)}_{4000 + number}"
        files[f"{start}_{90000 + 2 * number}_hw1{'-1' * (number % 3 == 0)}.py"] = work(login)
        files[f"{start}_{90001 + 2 * number}_util.py"] = work(login)
    return files


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_canvas_in_all_alphabets_and_after_macos_has_packed_it_again(tree, form):
    files = {unicodedata.normalize(form, name): text for name, text in canvas().items()}
    assert read_right(collect([tree(files)]), "canvas")


def test_files_of_a_quiz_in_canvas_are_one_submission_with_a_folder_for_each_question(tree):
    files = {}
    for number, (login, name) in enumerate(zip(LOGINS, SORTED, strict=True)):
        start = re.sub(r"[^-\w]", "", f"{name}{4000 + number}".replace(" ", "_"), flags=re.ASCII).lower()
        for question in (77, 78):
            files[f"{start}_question_{question}_{90000 + 100 * question + number}_hw1.py"] = work(login)
    intake = collect([tree(files)])
    assert read_right(intake, "canvas")
    assert {tuple(file.path for file in each.files) for each in intake.submissions} == {("77/hw1.py", "78/hw1.py")}


@pytest.mark.parametrize("name", ["{}teamrocket", "{}", "projectgroup{}"])
def test_groups_in_canvas_may_have_numbers_for_names(tree, name):
    files = {f"{name.format(n)}_{4000 + n}_{90000 + n}_hw1.py": work(str(n)) for n in range(1, 7)}
    assert read_right(collect([tree(files)]), "canvas", list("123456"))


def test_one_students_download_from_canvas_could_be_of_a_whole_class(tree):
    for name in ("lovelaceada_4000_{}_a{}.py", "Sorting_20251_{}_a{}.py"):
        intake = collect([tree({name.format(90000 + n, n): f"a = {n}\n" for n in range(3)}, name[:4])])
        assert len(intake.submissions) == 3
        assert "--layout canvas" in intake.downloads[0].doubts[0]


def test_a_team_in_moodle_is_one_submission_also_of_those_in_no_team(tree):
    files = {f"Team {n}_{70 + n}_assignsubmission_file/hw1.py": work(f"team {n}") for n in range(4)}
    files["Default group_assignsubmission_file/hw1.py"] = files["Default group_assignsubmission_file/b.py"] = work("-")
    assert read_right(collect([tree(files)]), "moodle", ["team 0", "team 1", "team 2", "team 3", "-"])


def team_copies(text):
    """What Moodle before 4.1 wrote: what a team handed in, once for each member."""
    return {f"Team {n // 3}-{name}_{4000 + n}_assignsubmission_file_/hw1.py": text(n) for n, name in enumerate(NATURAL)}


def test_copies_of_a_teams_work_in_moodle_are_one_submission(tree, reasons):
    intake = collect([tree(team_copies(lambda n: work(f"team {n // 3}")))])
    assert read_right(intake, "moodle", [f"team {n}" for n in range(4)])
    assert "Ada Lovelace, Anne-Marie O'Neil, José García-López" in {each.owner for each in intake.submissions}
    assert sum("another member" in reason for reason in reasons(intake).values()) == 8


def test_who_copied_in_a_tutorial_group_stays_two_students(tree):
    intake = collect([tree(team_copies(lambda n: work("copied") if n in (0, 1) else work(LOGINS[n])))])
    assert len(whose(intake)) == 12
    intake = collect([tree(team_copies(lambda n: work("starter code")), "untouched")])
    assert len(whose(intake)) == 12


VPL = ["{last} {first} {id} {login}", "{natural} - {login}", "{last} {first} {id} {login}@s.edu"]


@pytest.mark.parametrize("name", VPL)
def test_vpl_has_users_with_numbers_and_accounts_and_a_report(tree, name):
    files = {"Report.txt": "the platform's report", "Errors.txt": "the platform's errors"}
    for n, ((first, last, login), natural) in enumerate(zip(STUDENTS, NATURAL, strict=True)):
        if n > 4:  # so few that one file beside them counts
            break
        folder = name.format(first=first, last=last, id=4000 + n, login=login, natural=natural)
        files[f"{folder}/2024-01-31-23-59-59/hw1.py"] = work(login)
        files[f"{folder}/2024-01-30-23-59-59/hw1.py"] = work(login, "old")
        files[f"{folder}/2024-01-31-23-59-59.ceg/execution.txt"] = "the platform's grade"
    intake = collect([tree(files)])
    assert read_right(intake, "vpl", LOGINS[:5])
    assert {each.account.partition("@")[0] for each in intake.submissions} == set(LOGINS[:5])


VERSIONS = ["Version", "Versión", "Versie", "Versione", "Versão", "Wersja", "Sürüm", "Версия", "版本", "バージョン"]


@pytest.mark.parametrize("word", VERSIONS)
def test_teams_counts_versions_of_each_task_in_the_schools_language(tree, word):
    files = {}
    for login, name in zip(LOGINS[:6], NATURAL, strict=False):
        files[f"Submitted files/{name}/Task 1/{word} 2/a.py"] = work(login)
        files[f"Submitted files/{name}/Task 1/{word} 1/a.py"] = work(login, "old")
        files[f"Submitted files/{name}/Task 2/{word} 1/b.py"] = work(login)
        files[f"Working files/{name}/Task 1/a.py"] = work(login, "old draft, so old of")
    intake = collect([tree(files)])
    assert read_right(intake, "teams", LOGINS[:6])
    newest = [each for each in intake.submissions if not each.age]
    assert {tuple(file.path for file in each.files) for each in newest} == {("Task 1/a.py", "Task 2/b.py")}
    assert sum("not handed in" in problem.reason for problem in intake.problems) == 6


def test_folders_of_a_class_beside_one_like_teams_are_no_drafts(tree):
    weeks = {"ann": "xyz", "bob": "xy"}
    files = {f"{name}/week-1-{part}/a.py": work(name) for name, parts in weeks.items() for part in parts}
    assert sorted(whose(collect([tree(files)]))) == [["ann"], ["bob"]]


def sakai_groups(name):
    files = {"HW 1/grades.csv": "the platform's grades"}
    for n in range(5):
        files[f"HW 1/{name.format(n)}/timestamp.txt"] = "2024-01-31T23:59:59.123Z"
        files[f"HW 1/{name.format(n)}/Submission attachment(s)/hw1.py"] = work(f"group {n}")
        files[f"HW 1/{name.format(n)}/members.txt"] = "the platform's list"
    return files


@pytest.mark.parametrize("name", ["Group {} (5a-{}0)", "Group {}", "Jane Doe{}"])
def test_groups_in_sakai(tree, name):
    intake = collect([tree(sakai_groups(name.replace("-{}", "-7")))])
    assert read_right(intake, "sakai", [f"group {n}" for n in range(5)])
    assert {each.account for each in intake.submissions} == {""}
    assert intake.submissions[0].time is not None


def test_ilias_writes_names_in_plain_letters_of_which_none_may_be_left(tree):
    files = {"HW/status.xlsx": "the platform's table"}
    for number, (first, last, login) in enumerate(STUDENTS):
        plain = [each.encode("ascii", "ignore").decode() for each in (last, first)]
        late = "Late Submission - " * (number % 3 == 0)
        files[f"HW/Submissions/{plain[0]}_{plain[1]}_{login}_{200 + number}/{late}hw1.py"] = work(login)
    assert read_right(collect([tree(files)]), "ilias")


MOMENTS = [
    "31 янв., 2024 2359", "31 Ιαν, 2024 1159 μμ", "31 يناير, 2024 1159 م", "2024年1月31日 下午1159",
    "31 січ. 2024 2359", "Jan 31, 2024 11꞉59 PM", "2024년 1월 31일 오후 1159", "31 tammikuuta, 2024 2359",
    "31 Oca, 2024 11:59 ÖS",
]  # fmt: skip


@pytest.mark.parametrize("moment", MOMENTS)
def test_brightspace_in_other_languages(tree, moment):
    files = {f"{300 + n}-99 - {name} - {moment}/hw1.py": work(LOGINS[n]) for n, name in enumerate(NATURAL)}
    intake = collect([tree(files)])
    assert read_right(intake, "brightspace")
    assert {f"{each.time:%Y-%m-%d %H:%M}" for each in intake.submissions} == {"2024-01-31 23:59"}
