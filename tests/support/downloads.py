"""Synthetic downloads, one for each shape in which platforms hand them over, of a class of six.

Names are as real ones are: with spaces, accents, hyphens, apostrophes, and two first names that begin alike.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import NamedTuple

STUDENTS = ("Jane Doe", "José García-López", "Anne-Marie O'Neil", "Anne-Sophie Weiß", "Li Wei", "Ümit Van der Berg")
LOGINS = ("jdoe", "jgarcia", "aoneil", "aweiss", "lwei", "uvanderberg")
NEW, OLD = "print('the newest of %s')\n", "print('an older one of %s')\n"
TYPED = "<html><head><title>x</title></head><body><p>What %s&nbsp;typed</p></body></html>"


class Export(NamedTuple):
    """A download: its files, whose newest work each student's name leads to, and what is nobody's."""

    layout: str
    files: dict[str, str]
    owners: dict[str, list[str]]  # the paths of each one's newest version
    own: tuple[str, ...] = ()  # paths of the platform's own files
    older: int = 0  # versions before the newest, of the first student
    time: datetime | None = None  # of the first student's newest version
    section: str = ""  # of the first student


def _class(name_of, path="hw1.py", owners=STUDENTS) -> tuple[dict[str, str], dict[str, list[str]]]:
    files = {name_of(number, student): NEW % student for number, student in enumerate(STUDENTS)}
    return files, {owner: [path] for owner in owners}


def moodle() -> Export:
    files, owners = _class(lambda n, s: f"{s}_{900 + n}_assignsubmission_file_/hw1.py")
    for number, student in enumerate(STUDENTS[:3]):
        files[f"{student}_{900 + number}_assignsubmission_onlinetext_/onlinetext.html"] = TYPED % student
        owners[student] = ["hw1.py", "onlinetext.html"]
    files["Jane Doe_900_assignfeedback_comments_/comments.html"] = "<p>Well done</p>"
    sheet = [
        f'Participant {900 + n},{student},{login}@school.edu,Submitted,,"{day}, {date} October 2025, 10:05 PM",-'
        for n, (student, login, day, date) in enumerate(zip(STUDENTS, LOGINS, _DAYS, range(3, 9), strict=True))
    ]
    headings = "\ufeffIdentifier,Full name,Email address,Status,Grade,Last modified (submission),Last modified (grade)"
    files["Grades-CS1-Homework 1--4711.csv"] = "\n".join([headings, *sheet])
    own = ("Jane Doe_900_assignfeedback_comments_/comments.html", "Grades-CS1-Homework 1--4711.csv")
    return Export("moodle", files, owners, own, time=datetime(2025, 10, 3, 22, 5))


_DAYS = ("Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday")


def moodle_flat() -> Export:
    files, owners = _class(lambda n, s: f"Group {n // 2 + 1}-{s}_{900 + n}_assignsubmission_file_hw1.py")
    files["Group 1-Jane Doe_900_assignsubmission_onlinetext_onlinetext.html"] = TYPED % "Jane Doe"
    owners["Jane Doe"] = ["hw1.py", "onlinetext.html"]
    return Export("moodle", files, owners, section="Group 1")


def brightspace() -> Export:
    files, owners = _class(lambda n, s: f"{700 + n}-55 - {s} - Oct 3, 2025 1005 PM/hw1.py")
    files["700-55 - Jane Doe - Oct 2, 2025 905 AM/hw1.py"] = OLD % "Jane Doe"
    files["index.html"] = "<table><tr><td>Jane Doe</td></tr></table>"
    return Export("brightspace", files, owners, ("index.html",), 1, datetime(2025, 10, 3, 22, 5))


def brightspace_flat() -> Export:
    files, owners = _class(lambda n, s: f"{700 + n}-55 - {s} - 3 octobre, 2025 2205 - hw1.py")
    files["700-55 - Jane Doe - 3 octobre, 2025 2205 - util - copy.py"] = NEW % "Jane Doe"
    files["700-55 - Jane Doe - 30 sept., 2025 2359 - hw1.py"] = OLD % "Jane Doe"
    files["index.html"] = "<table></table>"
    owners["Jane Doe"] = ["hw1.py", "util - copy.py"]
    return Export("brightspace", files, owners, ("index.html",), 1, datetime(2025, 10, 3, 22, 5))


def autolab() -> Export:
    addresses = [f"{login}@school.edu" for login in LOGINS]
    files, owners = _class(lambda n, s: f"{addresses[n]}_{10 + n}_hw1.py", owners=addresses)
    files |= {f"jdoe@school.edu_{version}_hw1.py": OLD % f"Jane Doe {version}" for version in (2, 9)}
    return Export("autolab", files, owners, older=2)


def canvas() -> Export:
    names = ["doejane", "garcíalópezjosé", "oneilannemarie", "weißannesophie", "weili", "vanderbergümit"]
    late = {0: "_LATE", 3: "_LATE"}
    files, owners = _class(lambda n, s: f"{names[n]}{late.get(n, '')}_{4000 + n}_{8000 + n}_hw1.py", owners=names)
    files["doejane_LATE_4000_8100_util_1_2_x-1.py"] = NEW % "Jane Doe"
    owners["doejane"] = ["hw1.py", "util_1_2_x-1.py"]
    for number in (3, 4, 5):  # half of the class typed into the form
        del files[f"{names[number]}{late.get(number, '')}_{4000 + number}_{8000 + number}_hw1.py"]
        files[f"{names[number]}{late.get(number, '')}_{4000 + number}_text.html"] = TYPED % STUDENTS[number]
        owners[names[number]] = ["text.html"]
    return Export("canvas", files, owners)


def canvas_anonymous() -> Export:
    ids = ["aB3xY", "Qw9Rt", "Zx8Cv", "Mn2Bv", "Kj4Hg", "Pl5Ok"]
    owners = [f"anon_{each}" for each in ids]
    files, found = _class(lambda n, s: f"{'LATE_' * (n == 2)}anon_{ids[n]}_{8000 + n}_hw1.py", owners=owners)
    files["anon_aB3xY_8100_util.py"] = NEW % "Jane Doe"
    del files["anon_Pl5Ok_8005_hw1.py"]
    files["anon_Pl5Ok_text.html"] = TYPED % "Ümit"
    return Export("canvas-anonymous", files, found | {"anon_aB3xY": ["hw1.py", "util.py"], "anon_Pl5Ok": ["text.html"]})


def classroom() -> Export:
    files, owners = _class(lambda n, s: f"{s} - hw1.py")
    files["Jane Doe - util (1).py"] = NEW % "Jane Doe"
    owners["Jane Doe"] = ["hw1.py", "util (1).py"]
    return Export("classroom", files, owners)


def prairielearn() -> Export:
    addresses = [f"{login}@school.edu" for login in LOGINS]
    files, owners = _class(lambda n, s: f"Homework1/{addresses[n]}_1_sorting_1_2_{9000 + n}_hw1.py", owners=addresses)
    files["Homework1/jdoe@school.edu_1_sorting_1_1_8999_hw1.py"] = OLD % "Jane Doe"
    files["Homework1/jdoe@school.edu_1_graphs_bfs_1_1_9100_my_1_bfs.py"] = NEW % "Jane Doe"
    found = {owner: ["sorting/hw1.py"] for owner in owners}
    return Export("prairielearn", files, found | {addresses[0]: ["graphs_bfs/my_1_bfs.py", "sorting/hw1.py"]}, older=1)


def prairielearn_manual() -> Export:
    addresses = [f"{login}@school.edu" for login in LOGINS]
    files, owners = _class(lambda n, s: f"{addresses[n]}_1_sorting_{9000 + n}_hw1.py", owners=addresses)
    files["jdoe@school.edu_1_sorting_9000_util.py"] = NEW % "Jane Doe"
    return Export("prairielearn-manual", files, owners | {addresses[0]: ["hw1.py", "util.py"]})


def contest() -> Export:
    files, owners = _class(lambda n, s: f"{123456 + n}_{LOGINS[n]}_451A.cpp", "451A/451A.cpp", LOGINS)
    files["123400_jdoe_451A.cpp"] = OLD % "Jane Doe"
    files["123500_jdoe_451B.cpp"] = NEW % "Jane Doe"
    return Export("contest", files, owners | {"jdoe": ["451A/451A.cpp", "451B/451B.cpp"]}, older=1)


def blackboard() -> Export:
    files, owners = _class(lambda n, s: f"HW 1_{LOGINS[n]}_attempt_2025-10-03-22-05-0{n}_hw1.py", owners=LOGINS)
    files["HW 1_jdoe_attempt_2025-10-02-09-05-00_hw1.py"] = OLD % "Jane Doe"
    files["HW 1_jdoe_attempt_2025-10-03-22-05-00.txt"] = "Name: Jane Doe (jdoe)\n"
    own = ("HW 1_jdoe_attempt_2025-10-03-22-05-00.txt",)
    return Export("blackboard", files, owners, own, 1, datetime(2025, 10, 3, 22, 5))


def gradescope() -> Export:
    files, owners = _class(lambda n, s: f"assignment_1_export/submission_{100 + n}/hw1.py")
    rows = [
        f"submission_{100 + n}:\n  :submitters:\n  - :name: \"{s}\"\n    :email: {LOGINS[n]}@school.edu\n"
        f"  :created_at: 2025-10-03 22:05:00.000000000 Z\n"
        for n, s in enumerate(STUDENTS)
    ]  # fmt: skip
    files["assignment_1_export/submission_metadata.yml"] = "---\n" + "".join(rows)
    time = datetime(2025, 10, 3, 22, 5, tzinfo=UTC)
    return Export("gradescope", files, owners, ("assignment_1_export/submission_metadata.yml",), 0, time)


def sakai() -> Export:
    def folder(number: int, student: str) -> str:
        first, _, last = student.partition(" ")
        return f"Homework 1/{last}, {first}({LOGINS[number]})"

    files, owners = _class(lambda n, s: f"{folder(n, s)}/Submission attachment(s)/hw1.py")
    for number, student in enumerate(STUDENTS):
        at = folder(number, student)
        files[f"{at}/timestamp.txt"] = "20251003220500123"
        files[f"{at}/comments.txt"] = files[f"{at}/feedbackText.html"] = "Please see me"
    files[f"{folder(0, 'Jane Doe')}/Doe, Jane(jdoe)_submissionText.html"] = TYPED % "Jane Doe"
    owners["Jane Doe"] = ["hw1.py", "submissionText.html"]
    files["Homework 1/grades.csv"] = "Homework 1,Points\n"
    own = (
        "Homework 1/grades.csv",
        "Homework 1/Doe, Jane(jdoe)/timestamp.txt",
        "Homework 1/Doe, Jane(jdoe)/comments.txt",
    )
    return Export("sakai", files, owners, own, 0, datetime(2025, 10, 3, 22, 5))


def ilias() -> Export:
    def folder(number: int, student: str) -> str:
        first, _, last = student.partition(" ")
        return f"Exercise 1/Submissions/{last}_{first}_{LOGINS[number]}_{2000 + number}"

    files, owners = _class(lambda n, s: f"{folder(n, s)}/20251003220500_hw1.py")
    files["Exercise 1/status.xlsx"] = "a table"
    return Export("ilias", files, owners, ("Exercise 1/status.xlsx",), 0, datetime(2025, 10, 3, 22, 5))


def submitty() -> Export:
    files, owners = _class(lambda n, s: f"submissions/{LOGINS[n]}/{10 if n == 0 else 1}/hw1.py", owners=LOGINS)
    files |= {f"submissions/jdoe/{version}/hw1.py": OLD % f"Jane Doe {version}" for version in (1, 9)}
    for login in LOGINS:
        history = [{"version": v, "time": f"2025-10-{v:02} 18:05:00-0400 America/New_York"} for v in (1, 9, 10)]
        files[f"submissions/{login}/user_assignment_settings.json"] = json.dumps(
            {"active_version": 1, "history": history}
        )
    time = datetime(2025, 10, 10, 22, 5, tzinfo=UTC)
    return Export("submitty", files, owners, ("submissions/jdoe/user_assignment_settings.json",), 2, time)


def teams() -> Export:
    files, owners = _class(lambda n, s: f"Submitted files/{s}/Homework 1/Version {10 if n == 0 else 1}/hw1.py")
    files |= {f"Submitted files/Jane Doe/Homework 1/Version {version}/hw1.py": OLD % version for version in (1, 9)}
    return Export("teams", files, owners, older=2)


def vpl() -> Export:
    files, owners = _class(lambda n, s: f"{s} {5000 + n} {LOGINS[n]}/2025-10-03-22-05-0{n}/hw1.py")
    files["Jane Doe 5000 jdoe/2025-10-02-09-05-00/hw1.py"] = OLD % "Jane Doe"
    files["Jane Doe 5000 jdoe/2025-10-02-09-05-00.ceg/execution.txt"] = "passed"
    files["Report.txt"] = "Date: 2025-10-04\nNumber of users: 6\nNumber of submissions: 7"
    own = ("Jane Doe 5000 jdoe/2025-10-02-09-05-00.ceg/execution.txt", "Report.txt")
    return Export("vpl", files, owners, own, 1, datetime(2025, 10, 3, 22, 5))


def schoology() -> Export:
    def folder(number: int, student: str) -> str:
        first, _, last = student.partition(" ")
        return f"Homework 1/{last}, {first} - s{4860 + number}"

    revisions = ["Revision 2 - Late", *["Revision 1 - On time"] * 5]
    files, owners = _class(lambda n, s: f"{folder(n, s)}/{revisions[n]}/hw1.py")
    files[f"{folder(0, 'Jane Doe')}/Revision 1 - On time/hw1.py"] = OLD % "Jane Doe"
    return Export("schoology", files, owners, older=1)


def artemis() -> Export:
    files, owners = _class(
        lambda n, s: f"CS1-Sorting with lists-{7000 + 13 * n}-{LOGINS[n]}-student-submission.git/src/hw1.py",
        "src/hw1.py", LOGINS,
    )  # fmt: skip
    return Export("artemis", files, owners)


def zybooks() -> Export:
    def folder(number: int, student: str, day: int) -> str:
        first, _, last = student.partition(" ")
        return f"{last}_{first}_{LOGINS[number]}school.edu_2025-10-0{day}_22-05-00"

    files, owners = _class(lambda n, s: f"{folder(n, s, 3)}/hw1.py")
    files[f"{folder(0, 'Jane Doe', 2)}/hw1.py"] = OLD % "Jane Doe"
    return Export("zybooks", files, owners, older=1, time=datetime(2025, 10, 3, 22, 5))


def address() -> Export:
    addresses = [f"{login}@school.edu" for login in LOGINS]
    names = [f"hw1 ({each})" for each in addresses]
    files = {f"{name}.py": NEW % login for name, login in zip(names, LOGINS, strict=True)}
    files[f"util ({addresses[0]}).py"] = NEW % "jdoe"
    found = {each: [f"{name}.py"] for each, name in zip(addresses, names, strict=True)}
    return Export("address", files, found | {addresses[0]: [f"{names[0]}.py", f"util ({addresses[0]}).py"]})


def nbgrader() -> Export:
    files, owners = _class(lambda n, s: f"submitted/{LOGINS[n]}/ps1/hw1.py", owners=LOGINS)
    files |= {f"submitted/{login}/ps1/timestamp.txt": "2025-10-03 22:05:00.123456 UTC" for login in LOGINS}
    time = datetime(2025, 10, 3, 22, 5, tzinfo=UTC)
    return Export("nbgrader", files, owners, ("submitted/jdoe/ps1/timestamp.txt",), 0, time)


def github() -> Export:
    files, owners = _class(lambda n, s: f"sorting-{LOGINS[n]}/hw1.py", owners=LOGINS)
    files["classroom_roster.csv"] = "identifier,github_username\n"
    return Export("github", files, owners, ("classroom_roster.csv",))


def dolos() -> Export:
    files, owners = _class(lambda n, s: f"files/{1000 + n}.py")
    rows = [f'files/{1000 + n}.py,section {n % 2 + 1},2025-10-03 22:05:00 +0200,"{s}"' for n, s in enumerate(STUDENTS)]
    files["info.csv"] = "filename,label,created_at,full_name\n" + "\n".join(rows)
    found = {student: [f"{1000 + n}.py"] for n, student in enumerate(owners)}
    time = datetime(2025, 10, 3, 20, 5, tzinfo=UTC)
    return Export("dolos", files, found, ("info.csv",), 0, time, "section 1")


EXPORTS = (
    moodle, moodle_flat, brightspace, brightspace_flat, autolab, canvas, canvas_anonymous, classroom, prairielearn,
    prairielearn_manual, contest, blackboard, gradescope, sakai, ilias, submitty, teams, vpl, schoology, nbgrader,
    artemis, zybooks, github, address, dolos,
)  # fmt: skip
