"""Make a set of everything that lasts, with the version that is checked out, for later versions to open.

    .venv/bin/python tests/upgrades/make.py 2026-11-17

writes `tests/upgrades/2026-11-17.tar.xz`. Run it once before a format changes, name the set by the day, and commit it:
`test_upgrades.py` opens every set that lies there. A set that is committed is never made again, because only the
version that made it can write what that version wrote. In it are:

    handed-in/     a class's programs, with a starter
    report/        `moss compare -o`, and beside it report.json, `--json`
    cache/         what that comparison kept
    corpora/       a corpus of essays, built from relative paths
    data/          a server's data folder: courses, runs, cases, links, a drop, an open upload, a corpus
    course.zip     one of its courses, exported
    expected.json  what this version answered when it was asked about them

All names and texts are made up, no path of this machine is in it, and the server's signing key is no secret.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import tarfile
import tempfile
from contextlib import chdir
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from click.testing import CliRunner
from support.accounts import give_password
from support.corpora import add_here, edited, prose, write_files
from support.keeping import program
from support.server import Browser, Server, make_server
from support.uploads import Desk, moodle_export, zipped
from upgrades.questions import API, ask_corpus, ask_server

from moss.cli import main as moss
from moss.store.accounts.notices import add_notice
from moss.store.courses.assignments import add_assignment, add_course
from moss.store.tables import CourseRole, MembershipRow, ServerValueRow, ShareLinkRow, UserRow

HERE = Path(__file__).parent
SIGNING_KEY = "kept for tests only, and no secret of anybody"
STARTER = "def read(path):\n    with open(path) as file:\n        return [line.strip().split(';') for line in file]\n"
HASKELL = "module Main where\n\n" + "\n".join(
    f"step{n} :: Int -> Int\nstep{n} value = if even value then value `div` {n} else {n} * value + 1"
    for n in range(2, 12)
)


def notebook(code: str) -> str:
    """A notebook with one cell of prose and one of code."""
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# Homework\nI read the file and count."},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1, "source": code},
    ]
    kernel = {"kernelspec": {"name": "python3", "language": "python"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


def handed_in(year: int) -> dict[str, dict[str, bytes | str]]:
    """A class: who handed in which files. Ann and Bob share a program, and each year Dan has last year's Eve's."""
    return {
        "Ann Quill": {"main.py": STARTER + program(year, "annslineofcode")},
        "Bob Rust": {"main.py": STARTER + program(year, "bobslineofcode"), "notes.txt": prose(year, 60)},
        "Zoë Tusk": {"work.ipynb": notebook(program(year + 100, "zoeslineofcode"))},
        "Dan Vine": {"main.py": STARTER + program(year - 1 + 200, "danslineofcode")},
        "Eve Wren": {"main.py": STARTER + program(year + 200, "eveslineofcode")},
        "Élodie Yew": {"Main.hs": HASKELL, "über.txt": "Zählt die Wörter.".encode("latin-1")},
    }


def main(name: str) -> None:
    """Make the set and pack it."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        expected = {"corpus": make_corpus(), **make_report(), **make_server_data()}
        Path("expected.json").write_text(json.dumps(expected, ensure_ascii=False, indent=1, sort_keys=True))
        pack(HERE / f"{name}.tar.xz")
    print(HERE / f"{name}.tar.xz", (HERE / f"{name}.tar.xz").stat().st_size, "bytes")


def pack(target: Path) -> None:
    """Everything in the current folder as one archive without owners; the classes went into it as uploads."""
    refuse_paths(Path.cwd())
    with tarfile.open(target, "w:xz", preset=9) as archive:
        for path in sorted(Path().rglob("*")):
            archive.add(path, path.as_posix(), recursive=False, filter=anonymous)


def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """A member that belongs to nobody."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def refuse_paths(folder: Path) -> None:
    """Nothing in a set may tell where it was made."""
    telling = [str(folder), str(Path.home()), str(HERE.parents[1])]
    for path in (path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        found = [word for word in telling if word.encode() in content]
        assert not found, f"{path} names {found}"


def make_corpus() -> Any:
    """A corpus of essays: copies, near copies, passages, a program."""
    text = prose(1, 300)
    texts = {"a.txt": text, "copy.txt": text, "near.txt": edited(text, 1, 3), "other.txt": prose(2, 200)}
    texts["passage.txt"] = f"{prose(3, 100)} {' '.join(text.split()[50:150])} {prose(4, 100)}"
    texts["work.py"] = program(5, "olderwork")
    write_files(Path("essays"), texts)
    add_here(Path("corpora/essays"), Path("essays"))
    return ask_corpus(Path("corpora/essays"), Path("essays"))


def make_report() -> dict[str, Any]:
    """A report in all forms, and the cache that the comparison leaves."""
    for who, files in handed_in(2026).items():
        for path, content in files.items():
            target = Path("handed-in/class", who, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
    write_files(Path("handed-in/starter"), {"main.py": STARTER})
    options = ["-b", "handed-in/starter", "-n", "6", "-j", "1", "--cache", "cache", "-o", "report"]
    done = CliRunner().invoke(moss, ["compare", *options, "--json", "report.json", "handed-in/class"])
    assert done.exit_code == 0, done.output
    settle(Path("cache/moss.sqlite3"))
    return {"options": options[:6]}


def settle(database: Path) -> None:
    """Put everything into the one file, as small as can be."""
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("VACUUM")
    connection.close()


def make_server_data() -> dict[str, Any]:
    """A server on which people have worked for two years."""
    with make_server(Path("data")) as server:
        teach(server)
        instructor = server.client("instructor")
        api = Api(server, token_of(instructor))
        hand_in_and_compare(server, instructor, api)
        judge(instructor)
        share(server, instructor)
        drop(api)
        leave_open(Desk(server, instructor, 2))
        export(api)
        hold_for_ever(server)
        expected = {"token": api.token, "links": links_of(instructor), "answers": ask_server(server.app, api.token)}
    settle(Path("data/moss.sqlite3"))
    return expected


@dataclass(frozen=True)
class Api:
    """A program of the instructor's; after each change all jobs are done that follow from it."""

    server: Server
    token: str

    def send(self, method: str, path: str, status: int, **options: Any) -> Any:
        """The answer, which has this status."""
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = self.server.app.test_client().open(f"{API}{path}", method=method, headers=headers, **options)
        checked(answer, status)
        self.server.work()
        return answer


def teach(server: Server) -> None:
    """Two years of a course, one assignment in each, and whoever has a part in them."""
    with server.store.session() as session:
        session.get_one(ServerValueRow, "signing").value = SIGNING_KEY
        for year in (2025, 2026):
            instructor = session.get_one(UserRow, server.id_of("instructor"))
            course = add_course(session, "Programming 1", str(year), instructor, None)
            add_assignment(session, course, "Homework")
            session.add(
                MembershipRow(course_id=course.id, user_id=server.id_of("assistant"), role=CourseRole.ASSISTANT)
            )
    object.__setattr__(server.app.extensions["moss"], "secret", SIGNING_KEY)
    for person in ("administrator", "instructor", "assistant"):
        give_password(server, person)


def hand_in_and_compare(server: Server, browser: Browser, api: Api) -> None:
    """Last year's class, which is kept in a corpus, and this year's, compared in three ways."""
    for number, year in ((1, 2025), (2, 2026)):
        desk = Desk(server, browser, number)
        upload = desk.begin()["id"]
        desk.put(upload, "Homework-41.zip", moodle_export(handed_in(year)))
        desk.put(upload, "starter.zip", zipped({"starter/main.py": STARTER}), "base")
        desk.recognise(upload)
        desk.confirm(upload)
    api.send("POST", "/assignments/1/keep", 202, json={"corpus": "years"})
    write_files(Path("library"), {"solution.py": program(2026 + 200, "publishedlineofcode")})
    add_here(Path("data/corpora/library"), Path("library"))
    compare(server, browser, {})
    late = Desk(server, browser, 2)
    late.confirm(late.send({"late.zip": moodle_export({"Fay Zorn": {"main.py": program(2026, "fayslineofcode")}})}))
    compare(server, browser, {"archives": "1"})
    compare(server, browser, {"corpora": ["years", "library"], "noise": "10"})
    compare(server, browser, {}, assignment=1)


def compare(server: Server, browser: Browser, form: dict[str, Any], assignment: int = 2) -> None:
    """A run, of this year's homework if nothing else is said."""
    checked(browser.post(f"/assignments/{assignment}/runs", {"show": "6"} | form), 303)
    server.work()


def judge(browser: Browser) -> None:
    """Cases in every state."""
    for rank, form in (
        (1, {"state": "confirmed", "note": "Both said so on Tuesday.", "assignee": "3"}),
        (2, {"state": "suspicious", "note": "The same misspelling, “recieved”, in both."}),
        (3, {"state": "dismissed"}),
    ):
        checked(browser.post(f"/runs/2/pairs/{rank}/case", form), 302)


def share(server: Server, browser: Browser) -> None:
    """Links to a report, to a pair, and one that was revoked."""
    for form in ({"label": "Examination board"}, {"label": "Dean", "rank": "1"}, {"label": "By mistake"}):
        checked(browser.post("/runs/2/shares", form | {"days": "14"}), 302)
    checked(browser.post("/links/3/revoke"), 302)
    checked(browser.post("/courses/2/members", {"email": "mira@example.org", "role": "assistant"}), 303)
    with server.store.session() as session:
        add_notice(session, server.id_of("instructor"), "Run 3 of Homework is finished.", "/runs/3/")


def token_of(browser: Browser) -> str:
    """A token of whoever is logged in."""
    page = browser.post("/account/tokens", {"token_name": "Grading script", "days": "never"}, follow_redirects=True)
    (found,) = set(re.findall(r"moss_[\w-]{20,}", page.text))
    return str(found)


def hold_for_ever(server: Server) -> None:
    """Let no link expire before somebody opens the set."""
    with server.store.session() as session:
        for link in session.query(ShareLinkRow):
            link.expires = link.expires.replace(year=2999)


def links_of(browser: Browser) -> list[str]:
    """The addresses that guests have and that still lead somewhere: to a pair, to the whole report."""
    page = browser.get("/runs/2/shares").text
    return re.findall(r'value="http://[^/]+(/shared/[^"]+)"', page)


def drop(api: Api) -> None:
    """Files that a script brought."""
    files = {"one/a.py": program(7), "two/a.py": program(7, "changed"), "three/a.py": program(8)}
    content = "".join(files.values()).encode()
    wish = {
        "key": "first", "sha256": sha256(content).hexdigest(), "language": "python", "directory": True,
        "files": [{"name": name, "size": len(text.encode()), "program": number}
                  for number, (name, text) in enumerate(files.items(), 1)],
    }  # fmt: skip
    made = api.send("POST", "/drops", 201, json=wish).json
    api.send("PUT", f"/drops/{made['id']}/content?start=0", 200, data=content)
    api.send("POST", f"/drops/{made['id']}/finish", 202)


def leave_open(desk: Desk) -> None:
    """An upload that was recognised and not confirmed."""
    people = {"Gil Xu": {"main.py": program(9)}, "Hal Orr": {"main.py": program(10)}}
    desk.send({"Homework-42.zip": moodle_export(people)})


def export(api: Api) -> None:
    """This year's course as an archive."""
    made = api.send("POST", "/courses/2/exports", 202).json
    Path("course.zip").write_bytes(api.send("GET", f"/courses/2/exports/{made['number']}", 200).data)


def checked(answer: Any, status: int) -> Any:
    """An answer with this status."""
    assert answer.status_code == status, (answer.status_code, answer.text)
    return answer


if __name__ == "__main__":
    main(sys.argv[1])
