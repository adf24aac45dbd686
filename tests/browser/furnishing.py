"""A server with something on every page: a course in which people have worked for some weeks."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from support.accounts import PASSWORD, hashed
from support.corpora import add_here
from support.decisions import CONFIRMED
from support.server import Browser, Server, make_server
from support.uploads import Desk

from browser.classes import LIBRARY, SAMPLES, STATISTICS, files_of, moodle_export, zipped
from moss.messages import gettext as _
from moss.store.accounts.notices import add_notice
from moss.store.courses.assignments import add_assignment, add_course
from moss.store.results.runs import RunRequest, add_run
from moss.store.tables import AssignmentRow, CourseRole, JobRow, JobState, LogLineRow, MembershipRow, UserRow, now

STAFF = {
    "administrator": ("Nora Adler", "nora@example.org"),
    "instructor": ("Priya Raman", "priya@example.org"),
    "assistant": ("Tom Becker", "tom@example.org"),
    "stranger": ("Sven Holm", "sven@example.org"),
}
"""Who works on the server: all have the same password."""

NOTE = "The same misspelling, “recieved”, in both, and the same unused variable in `fine`.\nI will ask both of them."
LATE = "rosa"
SECTIONS = {"Ada Lindqvist": "Tuesday", "Emeka Obi": "Friday", "Goran Petrović": "Friday", "Tove Berg": "Tuesday"}

__all__ = ["PASSWORD", "STAFF", "furnish", "hire"]


def furnish(folder: Path, shown: int = 8) -> None:
    """Fill a data folder, from which a server can then be started; so many pairs are shown of each run."""
    with make_server(folder) as server:
        hire(server)
        _teach(server)
        add_here(folder / "corpora" / "libraries", SAMPLES / "java-library/archive")
        instructor = server.client("instructor")
        _library(server, Desk(server, instructor, 1), shown)
        _statistics(server, Desk(server, instructor, 2), shown)
        _judge(server)
        _unfinished(server, Desk(server, instructor, 3))
        _around(server, instructor)


def hire(server: Server) -> None:
    """Give the people of a server names, addresses and passwords."""
    with server.store.session() as session:
        for person, (name, email) in STAFF.items():
            user = session.get_one(UserRow, server.id_of(person))
            user.name, user.email, user.password = name, email, hashed()


def _teach(server: Server) -> None:
    with server.store.session() as session:
        instructor = session.get_one(UserRow, server.id_of("instructor"))
        course = add_course(session, "Programming 1", "Autumn 2026", instructor, 365)
        for name in ("Lending library", "Text statistics", "Essay on algorithms"):
            add_assignment(session, course, name)
        for person, role in (("administrator", CourseRole.INSTRUCTOR), ("assistant", CourseRole.ASSISTANT)):
            session.add(MembershipRow(course_id=course.id, user_id=server.id_of(person), role=role))
        other = add_course(session, "Algorithms", "Spring 2026", instructor, None)
        add_assignment(session, other, "Shortest paths")


def _library(server: Server, desk: Desk, shown: int) -> None:
    """Handed in, compared, and compared again with one who was late."""
    starter = {f"starter/{path}": content for path, content in files_of(SAMPLES / "java-library/starter").items()}
    upload = desk.begin()["id"]
    desk.put(upload, "Lending library-41.zip", moodle_export("java-library", LIBRARY, set(LIBRARY) - {LATE}))
    desk.put(upload, "starter.zip", zipped(starter), "base")
    desk.put(upload, "last-year.zip", zipped(files_of(SAMPLES / "java-library/archive")), "archive")
    desk.recognise(upload)
    desk.confirm(upload)
    _run(server, desk.browser, 1, shown)
    desk.confirm(desk.send({"late.zip": moodle_export("java-library", LIBRARY, [LATE])}))
    _run(server, desk.browser, 1, shown)


def _statistics(server: Server, desk: Desk, shown: int) -> None:
    starter = files_of(SAMPLES / "python-textstats/starter")
    upload = desk.begin()["id"]
    desk.put(upload, "Text statistics-57.zip", moodle_export("python-textstats", STATISTICS, STATISTICS))
    desk.put(upload, "starter.zip", zipped(starter), "base")
    desk.recognise(upload)
    desk.confirm(upload)
    _run(server, desk.browser, 2, shown)


def _run(server: Server, browser: Browser, assignment: int, shown: int) -> None:
    answer = browser.post(f"/assignments/{assignment}/runs", {"show": str(shown)})
    assert answer.status_code == 303, answer.text
    server.work()


def _judge(server: Server) -> None:
    """Some pairs are decided, by several people."""
    instructor, administrator = server.client("instructor"), server.client("administrator")
    assistant = str(server.id_of("assistant"))
    decisions = [
        (administrator, 2, 1, {"state": "unreviewed", "assignee": str(server.id_of("instructor"))}),
        (instructor, 2, 1, {"state": "suspicious", "assignee": assistant, "note": NOTE}),
        (instructor, 2, 2, CONFIRMED | {"note": "Both said so in the conversation on Tuesday."}),
        (instructor, 2, 6, {"state": "dismissed", "note": "They were allowed to work together on the catalogue."}),
        (administrator, 3, 1, {"state": "suspicious", "assignee": str(server.id_of("administrator"))}),
    ]
    for browser, run, rank, form in decisions:
        answer = browser.post(f"/runs/{run}/pairs/{rank}/case", form)
        assert answer.status_code == 302, answer.text


def _unfinished(server: Server, desk: Desk) -> None:
    """An upload to correct, one of which a part is missing, one that cannot be read, and runs that are under way."""
    essays = files_of(SAMPLES / "essays/submissions")
    desk.confirm(desk.send({"essays.zip": zipped(essays)}))
    members = {f"{LIBRARY[each]}_{each}": files_of(SAMPLES / "java-library/submissions" / each) for each in LIBRARY}
    odd = {f"{name}/{path}": content for name, files in members.items() for path, content in files.items()}
    odd |= {
        "Tove Berg_tove/photo.jpg": b"\xff\xd8\xff\xe0" + bytes(200),
        "Uma Iyer_uma/Main.class": b"\xca\xfe\xba\xbe",
    }
    desk.send({"Homework-3.zip": zipped(odd)})
    incomplete = desk.begin()["id"]
    desk.put(incomplete, "section-a.zip", zipped({"a.py": b"print(1)\n"}))
    desk.chunk(incomplete, "section-b.zip", bytes(1024 * 1024), 0, 3 * 1024 * 1024)
    _job(server, JobState.RUNNING, "aligning", 38, 120, "")
    why = _("It was tried %(n)s times. The last time, %(why)s.", n=3, why=_("the worker was stopped"))
    _job(server, JobState.FAILED, "reading", 3, 20, why)


def _job(server: Server, state: JobState, stage: str, done: int, total: int, reason: str) -> None:
    """A run that stays as it is: no worker tends this server's jobs."""
    with server.store.session() as session:
        run = add_run(
            session, session.get_one(AssignmentRow, 3), server.id_of("instructor"), RunRequest({"noise": done})
        )
        begun = now() - timedelta(seconds=14)
        job = JobRow(kind="run", payload={"run": run.id}, course_id=1, user_id=server.id_of("instructor"), state=state,
                  stage=stage, done=done, total=total, reason=reason, attempts=1, lease="kept", started=begun,
                  stage_started=begun, heartbeat=now() + timedelta(days=1))  # fmt: skip
        job.lines = [LogLineRow(text="reading 20 submissions"), LogLineRow(text=stage)]
        session.add(job)
        session.flush()
        run.job_id = job.id


def _around(server: Server, instructor: Browser) -> None:
    """Links, tokens, invitations, notices and an archive."""
    instructor.post("/runs/2/shares", {"label": "Examination board", "days": "14"})
    instructor.post("/runs/2/shares", {"label": "Dean of studies", "days": "30", "rank": "1"})
    instructor.post("/links/2/revoke")
    instructor.post("/account/tokens", {"token_name": "Grading script", "days": "90"})
    instructor.post("/courses/1/members", {"email": "mira@example.org", "role": "assistant"})
    instructor.post("/courses/1/export")
    lines = "".join(f"{name},{n}@example.org,{n},{day}\n" for n, (name, day) in enumerate(SECTIONS.items(), 1001))
    instructor.post("/courses/1/roster", {"lines": "name,address,number,section\n" + lines})
    with server.store.session() as session:
        run = {"n": 2, "assignment": "Essay on algorithms", "course": "Programming 1"}
        told = _("Run %(n)s of %(assignment)s (%(course)s) failed. %(reason)s", **run, reason="")
        add_notice(session, server.id_of("instructor"), told, "/runs/5/")
    server.work()
