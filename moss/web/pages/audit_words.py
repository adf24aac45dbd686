"""The entries of the audit log in words, with the names of things and links to those that still exist.

An entry stores what was done as a fixed English phrase, and details by name. Phrases and names are looked up here, so
that what was stored years ago is shown in today's words and in the reader's language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import url_for
from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from moss.messages import counted, marked
from moss.messages import gettext as _
from moss.store.tables import (
    AssignmentRow,
    AuditEntryRow,
    Base,
    CaseRow,
    PersonRow,
    RunRow,
    ShareLinkRow,
    SubmissionRow,
    UploadRow,
)

ACTIONS = {
    "accepted an invitation": marked("accepted an invitation"),
    "began an upload": marked("started an upload"),
    "brought files by a script": marked("sent files with a script"),
    "cancelled a run": marked("cancelled a run"),
    "changed a course's retention": marked("changed how long a course is kept"),
    "changed a course's settings": marked("changed the settings of a course"),
    "changed a member's role": marked("changed a member’s role"),
    "changed a submission": marked("changed a submission"),
    "changed a user": marked("changed a user"),
    "changed how long a course is kept": marked("changed how long a course is kept"),
    "changed their name": marked("changed their name"),
    "changed their password": marked("changed their password"),
    "changed who may use a corpus": marked("changed who can use a corpus"),
    "chose a new password": marked("chose a new password"),
    "confirmed an upload": marked("confirmed an upload"),
    "created a course": marked("created a course"),
    "created a token": marked("created a token"),
    "created a user": marked("created a user"),
    "decided a case": marked("decided a case"),
    "deleted a course": marked("deleted a course"),
    "deleted a run": marked("deleted a run"),
    "deleted an assignment": marked("deleted an assignment"),
    "deleted an assignment whose time had come": marked("deleted an assignment that had expired"),
    "disabled a user": marked("disabled a user"),
    "dismissed several cases": marked("dismissed several cases"),
    "discarded an upload": marked("discarded an upload"),
    "enabled a user": marked("enabled a user"),
    "erased a person": marked("erased a student"),
    "exported a course": marked("exported a course"),
    "failed to log in": marked("failed to log in"),
    "got an account": marked("got an account"),
    "imported a course": marked("imported a course"),
    "invited somebody": marked("invited someone"),
    "issued an id for scripts": marked("issued an id for scripts"),
    "kept an assignment": marked("kept an assignment as earlier work"),
    "logged in": marked("logged in"),
    "logged out": marked("logged out"),
    "logged out all other browsers": marked("logged out all other browsers"),
    "logged out another browser": marked("logged out another browser"),
    "made a course": marked("created a course"),
    "made a link for a new password": marked("created a link for a new password"),
    "made an assignment": marked("created an assignment"),
    "merged two students": marked("merged two students"),
    "parted two students": marked("parted two students"),
    "removed a roster": marked("deleted the roster"),
    "sent a roster": marked("replaced the roster"),
    "made somebody an administrator": marked("made someone an administrator"),
    "proposed a decision": marked("proposed a decision"),
    "removed a member": marked("removed a member"),
    "renamed an assignment": marked("renamed an assignment"),
    "revoked a link": marked("revoked a share link"),
    "revoked a token": marked("revoked a token"),
    "revoked an id for scripts": marked("revoked an id for scripts"),
    "sent a course to import": marked("sent a course to import"),
    "set up the server": marked("set up the server"),
    "shared a report": marked("shared a report"),
    "started a check": marked("uploaded work to be compared at once"),
    "started a run": marked("started a run"),
    "took back a decision": marked("took back a decision"),
    "took back decisions": marked("took back several decisions"),
    "treated a passage as starter code": marked("treated a passage as starter code"),
    "took an administrator's role away": marked("removed someone’s administrator role"),
    "withdrew an invitation": marked("withdrew an invitation"),
    "wrote down a hearing": marked("wrote down a hearing"),
}
"""Everything that is written into the log, as it is stored, and how it is shown."""

LABELS = {
    "add": marked("can add"),
    "added": marked("submissions added"),
    "administrator": marked("administrator"),
    "after": marked("after"),
    "assignment": marked("assignment"),
    "before": marked("before"),
    "case": marked("case"),
    "cases": marked("cases"),
    "corpus": marked("corpus"),
    "course": marked("course"),
    "days": marked("valid for"),
    "email": marked("email address"),
    "files": marked("files"),
    "how": marked("how"),
    "link": marked("link"),
    "megabytes": marked("megabytes"),
    "name": marked("name"),
    "names": marked("with names"),
    "now": marked("now"),
    "number": marked("number"),
    "role": marked("role"),
    "run": marked("run"),
    "runs": marked("reports"),
    "search": marked("can search"),
    "state": marked("state"),
    "student": marked("student"),
    "submission": marked("submission"),
    "submissions": marked("submissions"),
    "term": marked("term"),
    "token": marked("token"),
    "upload": marked("upload"),
}
"""The names of details, as they are stored, and how they are shown."""

HIDDEN = {"archive", "drop", "person"}
"""Details that are not shown: numbers of things that no reader can look up, or that were erased."""

_WORDS = {
    "administrator": marked("administrator"),
    "always": marked("no limit"),
    "assistant": marked("assistant"),
    "confirmed": marked("confirmed"),
    "dismissed": marked("dismissed"),
    "instructor": marked("instructor"),
    "no": marked("no"),
    "partners": marked("partners"),
    "suspicious": marked("suspicious"),
    "unreviewed": marked("needs review"),
    "user": marked("user"),
    "yes": marked("yes"),
}
_IN_WORDS = {"role", "state", "search", "add", "names", "before", "after"}  # details whose values may be such words
_BY_RUN_ID = {"shared a report", "revoked a link"}  # all other entries store the number of a run in its assignment


@dataclass(frozen=True, slots=True)
class AuditDetail:
    """A detail of an audit entry, as a reader sees it."""

    label: str
    value: str
    address: str = ""  # of the page about it
    is_sentence: bool = False  # whether the value is ours, not a name


def action_in_words(action: str) -> str:
    """An action in words; an action that is no longer known stays as it was stored."""
    return _(ACTIONS[action]) if action in ACTIONS else action


def sentence(entry: AuditEntryRow) -> str:
    """The action of an entry."""
    return action_in_words(entry.action)


class AuditNames:
    """The things that some entries are about, as far as they still exist, looked up together."""

    def __init__(self, session: Session, entries: Iterable[AuditEntryRow]) -> None:
        shown = list(entries)
        self._assignments = _by_id(session, AssignmentRow, _ids(shown, "assignment"))
        self._cases = _by_id(session, CaseRow, _ids(shown, "case"), joinedload(CaseRow.a), joinedload(CaseRow.b))
        self._submissions = _by_id(session, SubmissionRow, _ids(shown, "submission"))
        self._students = _by_id(session, PersonRow, _ids(shown, "student"))
        self._uploads = _by_id(session, UploadRow, _ids(shown, "upload"))
        self._links = _by_id(session, ShareLinkRow, _ids(shown, "link"))
        self._runs = _by_id(session, RunRow, _ids([each for each in shown if each.action in _BY_RUN_ID], "run"))
        self._named = self._look_up_names(session, shown)

    def _look_up_names(self, session: Session, shown: list[AuditEntryRow]) -> dict[tuple[int | None, Any], Any]:
        """The assignments that entries name, by course and name."""
        names = {each.detail["assignment"] for each in shown if isinstance(each.detail.get("assignment"), str)}
        query = select(AssignmentRow).where(AssignmentRow.name.in_(names)).options(joinedload(AssignmentRow.runs))
        return {(row.course_id, row.name): row for row in session.scalars(query).unique()}

    def details(self, entry: AuditEntryRow) -> list[AuditDetail]:
        """The details of an entry in words."""
        given = {name: value for name, value in entry.detail.items() if value not in ("", None) and name not in HIDDEN}
        return [self._detail(entry, name, value) for name, value in given.items()]

    def _detail(self, entry: AuditEntryRow, name: str, value: Any) -> AuditDetail:
        label = _(LABELS[name]) if name in LABELS else name.replace("_", " ")
        if name in ("assignment", "case", "student", "submission", "upload", "link", "run"):
            found, address = getattr(self, f"_{name}")(entry, value)
            return AuditDetail(label, found or _("no. %(number)s, deleted since", number=value), address, not found)
        if name in _IN_WORDS and str(value) in _WORDS:
            return AuditDetail(label, _(_WORDS[str(value)]), is_sentence=True)
        if isinstance(value, bool):
            return AuditDetail(label, _("yes") if value else _("no"), is_sentence=True)
        if name == "days" or (name in ("before", "after") and isinstance(value, int)):
            return AuditDetail(label, counted(int(value), "day"), is_sentence=True)
        return AuditDetail(label, str(value))

    def _assignment(self, entry: AuditEntryRow, value: Any) -> tuple[str, str]:
        named = not isinstance(value, int)
        row = _there(entry, *((self._named, (entry.course_id, value)) if named else (self._assignments, value)))
        if row is None:
            return (value if isinstance(value, str) else ""), ""
        return row.name, url_for("assignments.show", assignment=row.id)

    def _run(self, entry: AuditEntryRow, value: Any) -> tuple[str, str]:
        if entry.action in _BY_RUN_ID:
            run = _there(entry, self._runs, value)
            name = _("%(number)s of %(assignment)s", number=run.number, assignment=run.assignment.name) if run else ""
        else:
            assignment = _there(entry, self._named, (entry.course_id, entry.detail.get("assignment")))
            runs = {each.number: each for each in assignment.runs} if assignment else {}
            run = _there(entry, runs, value)
            name = str(value)
        return name, url_for("reports.overview", run=run.id) if run is not None and run.finished else ""

    def _case(self, entry: AuditEntryRow, value: Any) -> tuple[str, str]:
        case = _there(entry, self._cases, value)
        return (f"{case.a.name} – {case.b.name}", url_for("cases.show", case=case.id)) if case else ("", "")

    def _submission(self, entry: AuditEntryRow, value: Any) -> tuple[str, str]:
        row = _there(entry, self._submissions, value)
        if row is None:
            return "", ""
        return row.owner, url_for("people.show", person=row.person_id) if row.person_id else ""

    def _student(self, entry: AuditEntryRow, value: Any) -> tuple[str, str]:
        row = self._students.get(value)
        return (row.name, url_for("people.show", person=row.id)) if row else ("", "")

    def _upload(self, entry: AuditEntryRow, value: Any) -> tuple[str, str]:
        upload = _there(entry, self._uploads, value)
        return (str(value), url_for("uploads.show", upload=value)) if upload else ("", "")

    def _link(self, entry: AuditEntryRow, value: Any) -> tuple[str, str]:
        link = _there(entry, self._links, value)
        return (link.label or str(link.id), url_for("shares.show", run=link.run_id)) if link else ("", "")


def _there(entry: AuditEntryRow, rows: Mapping[Any, Any], key: Any) -> Any:
    """The row that an entry is about, if it still exists. A younger one is something else: SQLite gives the number of
    what was deleted last to what is made next, and people use names again."""
    row = rows.get(key)
    return row if row is not None and row.created <= entry.at else None


def _ids(entries: Iterable[AuditEntryRow], name: str) -> set[int]:
    return {each.detail[name] for each in entries if isinstance(each.detail.get(name), int)}


def _by_id(session: Session, table: type[Base], ids: set[int], *options: Any) -> dict[int, Any]:
    key = table.__table__.c.id
    return {row.id: row for row in session.scalars(select(table).where(key.in_(ids)).options(*options))}  # type: ignore[attr-defined]
