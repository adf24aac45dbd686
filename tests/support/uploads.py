"""Uploads as a browser sends them, and the archives that instructors have."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from moss.store.tables import AssignmentRow, SubmissionRow, SubmittedFileRow, UploadRow
from support.server import Browser, Server

CHUNK = 1024 * 1024


def zipped(members: dict[str, bytes | str]) -> bytes:
    """A zip archive with these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def moodle_export(people: dict[str, dict[str, bytes | str]]) -> bytes:
    """A Moodle download of an assignment in which each student handed in a zip: a zip of folders with a zip in each."""
    return zipped(
        {
            f"{name}_{number}_assignsubmission_file_/work.zip": zipped(files)
            for number, (name, files) in enumerate(people.items(), 1001)
        }
    )


def program(number: int) -> str:
    """A small program, another one for each number."""
    body = "\n".join(f"    total_{i} = value * {number + i}" for i in range(5))
    return f"def work_{number}(value):\n{body}\n    return total_0\n"


@dataclass
class Desk:
    """An instructor who uploads to an assignment."""

    server: Server
    browser: Browser
    assignment: int

    def begin(self) -> dict[str, Any]:
        """Begin an upload as the script does."""
        answer = self.browser.post(f"/assignments/{self.assignment}/uploads", headers={"Accept": "application/json"})
        assert answer.status_code == 201, answer.text
        return answer.json

    def put(self, upload: int, path: str, content: bytes, role: str = "new") -> Any:
        """Send a file in chunks; the last answer."""
        for start in range(0, max(len(content), 1), CHUNK):
            answer = self.chunk(upload, path, content[start : start + CHUNK], start, len(content), role)
        return answer

    def chunk(self, upload: int, path: str, content: bytes, start: int, total: int, role: str = "new") -> Any:
        """Send one chunk."""
        place = {"path": path, "start": start, "total": total, "role": role}
        headers = {"Accept": "application/json"}
        return self.browser.put(f"/uploads/{upload}/parts", content, query_string=place, headers=headers)

    def send(self, files: dict[str, bytes | str], role: str = "new") -> int:
        """Send files and let them be recognised; the upload's number."""
        upload = self.begin()["id"]
        for path, content in files.items():
            answer = self.put(upload, path, content.encode() if isinstance(content, str) else content, role)
            assert answer.status_code == 200, answer.text
        self.recognise(upload)
        return upload

    def recognise(self, upload: int, **form: str) -> None:
        """Let the worker look what is in it."""
        answer = self.browser.post(f"/uploads/{upload}/recognise", data=form)
        assert answer.status_code == 303, answer.text
        self.server.work()

    def confirm(self, upload: int) -> str:
        """Confirm an upload; the page that follows."""
        answer = self.browser.post(f"/uploads/{upload}/confirm", follow_redirects=True)
        assert answer.status_code == 200, answer.text
        return answer.text

    def drafts(self, upload: int) -> dict[str, list[str]]:
        """The recognised drafts: the files of each owner."""
        with self.server.store.reading() as session:
            rows = session.scalars(
                select(SubmissionRow).filter_by(upload_id=upload).order_by(SubmissionRow.owner)
            ).all()
            return {row.owner: [file.path for file in row.files] for row in rows}

    def rows(self) -> list[SubmissionRow]:
        """The assignment's confirmed submissions."""
        with self.server.store.reading() as session:
            query = select(SubmissionRow).filter_by(assignment_id=self.assignment, confirmed=True)
            return list(session.scalars(query.order_by(SubmissionRow.owner, SubmissionRow.version)))

    def upload(self, number: int) -> UploadRow:
        """An upload as it is stored."""
        with self.server.store.reading() as session:
            return session.get_one(UploadRow, number)

    def files(self) -> list[SubmittedFileRow]:
        """All files of all submissions."""
        with self.server.store.reading() as session:
            return list(session.scalars(select(SubmittedFileRow)))


def open_desk(server: Server, person: str = "instructor") -> Desk:
    """An assignment in a new course, and somebody before it."""
    course = server.add_course()
    with server.store.session() as session:
        assignment = AssignmentRow(course_id=course, name="Homework 1")
        session.add(assignment)
        session.flush()
        number = assignment.id
    return Desk(server, server.client(person), number)
