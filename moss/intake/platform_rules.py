"""How learning platforms, contests and other tools name what they let instructors download: one row for each.

To add a platform is to add a row here, and a row to the table in docs/upload.md, which shows the example that the tests
run. Patterns are matched with whole names. Their groups mean:

    name, number   the student, and what tells namesakes apart
    file           what the student called the file
    attempt, time  which of several versions it is; the newest is compared
    task           which of several questions of one student it answers

A group's name may end in `_`, where a pattern has it twice.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from moss.intake import people
from moss.intake.people import People
from moss.intake.times import WRITTEN
from moss.messages import marked

NEARLY_ALL = 0.9


class EntryKind(Enum):
    """The kinds of entries of a download; the value says why one is not compared."""

    WORK = ""
    TYPED = marked("typed into the platform's form")  # an essay, although it is saved as a web page
    NOTE = marked("the platform's own note on the submission, not compared")  # unless there is nothing else
    OWN = marked("the platform's own file, no student's work, not compared")
    DRAFT = marked("a draft that was not handed in, not compared")
    COPY = marked("the copy of another member of the team, compared once")
    FEEDBACK = marked("feedback on the submission, no student's work, not compared")
    LINK = marked("a link that was handed in instead of a file; it is not followed")
    TIME = marked("the platform's note on when it was handed in, not compared")
    OWNERS = marked("the platform's list of students, not compared")


class Platform(NamedTuple):
    """A platform's way to name things."""

    key: str  # what `--layout` calls it
    title: str
    example: str  # a path in a download, and whose it is
    student: str
    folders: re.Pattern[str] | None
    files: re.Pattern[str] | None
    people: People
    least: int = 2  # fewer children that fit prove nothing
    share: float = NEARLY_ALL  # of all children must fit
    trace: re.Pattern[str] | None = None  # how a path begins that at least half of the students' folders must hold
    inside: re.Pattern[str] | None = None  # the path in a student's folder: `file`, `attempt`, `time`
    kinds: tuple[tuple[re.Pattern[str], EntryKind], ...] = ()  # of entries, by their whole paths; the first that fits
    versions: bool = False  # whether attempts or times tell versions apart
    accounts: bool = False  # whether names are accounts, so that equal ones are one person's wherever they are
    unmistakable: bool = False  # whether nobody but the platform names files so, not even a student
    teams: re.Pattern[str] | None = None  # how folders of teams are called, in which each member has one
    only_asked: bool = False  # whether no download is recognised by these names, which anybody could have given
    drafts: bool = False  # whether there may be a folder beside with what the students did not hand in
    folder_ids: bool = False  # whether a submission goes by its folder's name rather than by its owner's


_BESIDE = re.compile(
    r"index\.html?|(?:.*\b)?(?:grades?|gradebook|roster|classlist|feedback|info|status|rubric|summary|results?)\b.*"
    r"\.(?:csv|tsv|xlsx?|ods|html?|json|ya?ml|pdf)|grades-.*\.(?:csv|xlsx?)|.*_(?:grades?|roster)\.(?:csv|xlsx?)",
    re.IGNORECASE,
)


_LONGEST_OWN = 255  # characters


def is_own(name: str) -> bool:
    """Whether a file beside the students' is one of those that platforms add to a download."""
    return len(name) <= _LONGEST_OWN and bool(_BESIDE.fullmatch(name))


def _kinds(**patterns: str) -> tuple[tuple[re.Pattern[str], EntryKind], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), EntryKind[kind.upper()]) for kind, pattern in patterns.items())


_MOODLE = r"(?P<name>.+?)(?:_(?P<number>\d+))?_assign(?:submission|feedback)_[a-z]+"  # those in no team have no number
_BRIGHTSPACE = rf"(?:(?P<number>\d+-\d+)\s*-\s+)?(?P<name>.+?)\s*-\s+(?P<time>{WRITTEN})"
_ADDRESS = r"[^@\s/]+@[^@_\s/]+"
_LETTER = r"[^\x00-\x1f!-&(-,/:-@\[-`{-~]"  # of names, in all alphabets; vowel signs are no \w
_CANVAS_NAME = rf"(?P<name>(?![-'. ]){_LETTER}(?:{_LETTER}|_(?!\d|late_\d))*?)"
_CANVAS_QUIZ = r"(?P<name_>[^/]*?)(?P<number_>\d+)_question_(?P<task>\d+)_(?P<attachment_>\d+)_(?P<file_>.+)"
_SAKAI = r"(?P<name>.+?)\s?\((?P<number>[^()/]+)\)"
_VERSION = r"(?:Vers[^\W\d_]+|Verz[^\W\d_]+|Wersja|Sürüm|Верс[^\W\d_]+|版本|バージョン|버전) ?"
_ARTEMIS = r".+?-(?P<number>\d+)(?:-(?P<name>.+))?-student-submission(?:\.git)?"
_ZYBOOKS = r"(?P<name>[^_]*_[^_]*)_(?P<number>[^_\s]+\.[^\W\d_]{2,})_(?P<time>\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d)"
_ADDRESSED = r"(?P<before>(?:.*[^\w.+-])?)(?P<name>[^\W_][\w.+-]*@[^\W_]+)(?P<rest>[.-][^\W_]+.*)"
_REVISION = r"R[eé]vis[^\W\d_]+ "
_DATED = r"\d{4}(?:-\d\d){5}"

PLATFORMS: tuple[Platform, ...] = (
    Platform(
        "moodle", "Moodle", "Jane Doe_4711_assignsubmission_file_/hw1.py", "Jane Doe",
        re.compile(_MOODLE + "_?"), re.compile(_MOODLE + "_(?P<file>.+)"), people.moodle, least=1,
        kinds=_kinds(typed=r".+_assignsubmission_onlinetext_?(?:/.*)?\.html?|.+_assignsubmission_onlinetext_[^/]*\.html?",
                     feedback=r".+_assignfeedback_.*"),
        folder_ids=True, unmistakable=True,
    ),
    Platform(
        "gradescope", "Gradescope", "submission_101/hw1.py", "the name in submission_metadata.yml",
        re.compile(r"(?P<name>submission_\d+)"), None, people.gradescope, least=1,
        kinds=_kinds(owners=r"submission_metadata\.yml"), folder_ids=True, unmistakable=True,
    ),
    Platform(
        "blackboard", "Blackboard", "HW1_jdoe_attempt_2025-10-03-22-05-00_hw1.py", "jdoe",
        None, re.compile(rf"(?P<name>.+_[^_]+)_[^\W\d_]+_(?P<time>{_DATED})(?:_(?P<file>.+)|\.txt)"),
        people.blackboard, least=1, versions=True, accounts=True, unmistakable=True,
    ),
    Platform(
        "brightspace", "Brightspace (D2L)", "1234-5678 - Jane Doe - Oct 3, 2025 1005 PM/hw1.py", "Jane Doe",
        re.compile(_BRIGHTSPACE), re.compile(_BRIGHTSPACE + r"(?:\s*-\s+|_)(?P<file>.+)"), people.brightspace, least=1,
        versions=True, unmistakable=True,
    ),
    Platform(
        "prairielearn", "PrairieLearn", "jane@school.edu_1_sorting_1_2_9871_hw1.py", "jane@school.edu",
        None, re.compile(
            rf"(?P<name>{_ADDRESS}|[^_@/\s]+(?=.*_\d\d+_))_\d+_(?P<task>[^/]+?)_\d+_\d+_(?P<attempt>\d+)_(?P<file>.+)"
        ), people.prairielearn, versions=True, accounts=True, unmistakable=True,
    ),
    Platform(
        "prairielearn-manual", "PrairieLearn, for manual grading", "jane@school.edu_1_sorting_9871_hw1.py",
        "jane@school.edu",
        None, re.compile(
            rf"(?P<name>{_ADDRESS}|[^_@/\s\d][^_@/\s]*(?=_\d+_.*_\d\d\d+_))_\d+_(?P<task>[^/\d][^/]*?)"
            r"_(?P<attempt>\d\d+)_(?P<file>.+)"
        ), people.prairielearn, versions=True, accounts=True, unmistakable=True,
    ),
    Platform(
        "autolab", "Autolab", "jane@school.edu_2_hw1.py", "jane@school.edu",
        None, re.compile(rf"(?P<name>{_ADDRESS})_(?P<attempt>\d+)_(?P<file>.+)"), people.by_address, versions=True,
        accounts=True, unmistakable=True,
    ),
    Platform(
        "canvas", "Canvas", "doejane_LATE_1234_5678_hw1.py", "doejane",
        None, re.compile(
            rf"{_CANVAS_QUIZ}|{_CANVAS_NAME}(?:_late)?_(?P<number>\d+)_(?:(?P<attachment>\d+)_(?P<file>.+)"
            r"|(?P<typed>(?:text|link)\.html))", re.IGNORECASE,
        ), people.canvas, kinds=_kinds(typed=r"[^/]+_\d+_text\.html", link=r"[^/]+_\d+_link\.html"), unmistakable=True,
    ),
    Platform(
        "canvas-anonymous", "Canvas, anonymous", "anon_aB3xY_5678_hw1.py", "anon_aB3xY",
        None, re.compile(
            r"(?:late_)?anon(?:ymous)?_(?:late_)?(?P<name>[^\W_]+)_"
            r"(?:(?P<attachment>\d+)_(?P<file>.+)|(?P<typed>(?:text|link)\.html))", re.IGNORECASE,
        ), people.canvas_anonymous,
        kinds=_kinds(typed=r"[^/]*anon[^/]+_text\.html", link=r"[^/]*anon[^/]+_link\.html"), unmistakable=True,
    ),
    Platform(
        "sakai", "Sakai", "Doe, Jane(jdoe)/Submission attachment(s)/hw1.py", "Jane Doe",
        re.compile(rf"{_SAKAI}|(?P<name_>.+)"), re.compile(
            _SAKAI + r"_(?:Submission attachment\(s\)_(?P<file>.+)|_?submissionText\.html|timestamp\.txt|comments\.txt"
            r"|feedbackText\.html|_?Feedback Attachment\(s\).+)"
        ), people.sakai,
        inside=re.compile(r"(?:Submission attachment\(s\)/|[^/]*_(?=submissionText\.html\Z))?(?P<file>.+)"),
        kinds=_kinds(typed=r".+_submissionText\.html", time=r".+[/_]timestamp\.txt", owners=r"[^/]+/members\.txt",
                     feedback=r"[^/]+[/_](?:feedbackText\.html|comments\.txt|rubric[^/]*|Feedback Attachment\(s\).*)"),
        unmistakable=True,
    ),
    Platform(
        "ilias", "ILIAS", "Doe_Jane_jdoe_2000/hw1.py", "Jane Doe",
        re.compile(r"(?P<last>[^_\d]*)_(?P<first>[^_\d]*)_(?P<login>.*[^\W_].*)_(?P<number>\d+)"), None,
        people.ilias, inside=re.compile(r"(?:(?P<time>(?:19|20)\d{12})_)?(?P<file>.+)"),
        teams=re.compile(r"[^\W\d_]+ \d+"), unmistakable=True,
    ),
    Platform(
        "submitty", "Submitty", "jdoe/2/hw1.py", "jdoe",
        re.compile(r"(?P<name>.+)"), None, people.by_name, inside=re.compile(r"(?P<attempt>\d+)(?:/(?P<file>.+))?"),
        trace=re.compile(re.escape(people.SUBMITTY_SETTINGS)),
        kinds=_kinds(own=rf"[^/]+/{re.escape(people.SUBMITTY_SETTINGS)}"), versions=True, accounts=True,
        unmistakable=True,
    ),
    Platform(
        "teams", "Microsoft Teams", "Jane Doe/Homework 1/Version 2/hw1.py", "Jane Doe",
        re.compile(r"(?P<name>.+)"), None, people.by_name, trace=re.compile(rf"(?:[^/]+/)?{_VERSION}\d+/"),
        inside=re.compile(rf"(?:(?P<task>[^/]+)/)?{_VERSION}(?P<attempt>\d+)(?:/(?P<file>.+))?"), versions=True,
        drafts=True, unmistakable=True,
    ),
    Platform(
        "vpl", "Moodle's Virtual Programming Lab", "Doe Jane 4711 jdoe/2025-10-03-22-05-00/hw1.py", "Doe Jane",
        re.compile(
            r"(?P<name>.+?)(?: (?P<number>\d+)(?: (?P<account>\S*))?| - (?P<account_>\S+)"
            r"| (?P<number_>[\w.@-]*\d[\w.@-]*))?"
        ), None, people.by_name, trace=re.compile(rf"{_DATED}(?:\.ceg)?/"),
        inside=re.compile(rf"(?P<time>{_DATED})(?:/(?P<file>.+))?"),
        kinds=_kinds(own=rf"[^/]+/{_DATED}\.ceg(?:/.*)?|(?:Report|Errors)\.txt"), versions=True,
        unmistakable=True,
    ),
    Platform(
        "schoology", "Schoology", "Doe, Jane - 4711/Revision 2 - On time/hw1.py", "Jane Doe",
        re.compile(r"(?P<name>.+?)(?: - (?P<number>[^\s/]*\d[^\s/]*))?"), None,
        people.by_natural_name, trace=re.compile(rf"{_REVISION}\d+(?: - [^/]+)?/"),
        inside=re.compile(rf"{_REVISION}(?P<attempt>\d+)(?: - [^/]+)?(?:/(?P<file>.+))?"), versions=True,
        unmistakable=True,
    ),
    Platform(
        "nbgrader", "nbgrader", "jdoe/ps1/problem1.ipynb", "jdoe",
        re.compile(r"(?P<name>.+)"), None, people.by_name, trace=re.compile(r"[^/]+/timestamp\.txt\Z"),
        inside=re.compile(r"[^/]+/(?P<file>.+)"), kinds=_kinds(time=r"[^/]+/[^/]+/timestamp\.txt"),
        unmistakable=True,
    ),
    Platform(
        "contest", "a contest", "123456_jdoe_451A.cpp", "jdoe",
        None, re.compile(
            r"(?P<attempt>\d{4,})[_-](?P<name>\w[\w.-]*?)[_-](?P<task>[^\W_]+)(?P<file>(?:_[A-Za-z]{2,4})?(?:\.[^\W_]+)+)"
            r"|(?P<name_>\w[\w.-]*?)[_-](?P<task_>[^\W_]+)[_-](?P<attempt_>\d{4,})(?P<file_>(?:\.[^\W_]+)+)"
        ), people.contest, versions=True, accounts=True,
    ),
    Platform(
        "classroom", "Google Classroom and Drive", "Jane Doe - hw1.py", "Jane Doe",
        re.compile(r"(?P<name>\S.*?\S) - (?P<file>.+)"), re.compile(r"(?P<name>\S.*?\S) - (?P<file>.+)"),
        people.classroom, least=3,
    ),
    Platform(
        "artemis", "Artemis", "CS1-Sorting-4711-jdoe-student-submission.git/hw1.py", "jdoe",
        re.compile(_ARTEMIS), re.compile(_ARTEMIS + r"\.zip"), people.by_name, unmistakable=True,
    ),
    Platform(
        "zybooks", "zyBooks", "Doe_Jane_jdoeschool.edu_2025-10-03_22-05-00.zip", "Jane Doe",
        re.compile(_ZYBOOKS), re.compile(_ZYBOOKS + r"(?P<file>\.\w{1,6})"), people.zybooks, versions=True,
        unmistakable=True,
    ),
    Platform(
        "github", "GitHub Classroom", "sorting-janedoe/hw1.py", "janedoe",
        re.compile(r"(?P<name>[\w.]+(?:-[\w.]+)+)"), None, people.github, least=3, share=1.0, folder_ids=True,
    ),
    Platform(
        "address", "a platform that names students by address", "hw1 (jane@school.edu).py", "jane@school.edu",
        re.compile(_ADDRESSED), re.compile(_ADDRESSED), people.addressed, share=1.0, accounts=True,
        unmistakable=True,
    ),
    Platform(
        "start", "names that begin with the student", "jdoe_hw1.py", "jdoe",
        re.compile(r"(?P<name>.+)"), re.compile(r"(?P<name>.+)"), people.by_start, only_asked=True,
    ),
)  # fmt: skip

BY_KEY = {platform.key: platform for platform in PLATFORMS}
