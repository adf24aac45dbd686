"""A class in which a student handed in what a chatbot answers, several times."""

from __future__ import annotations

from moss.model import ReferenceKind, Role
from moss.store.tables import AssignmentRow
from support.classes import add_run
from support.keeping import hand_in, program
from support.server import Server

STUDENT = "Ann Quill"
ANSWERS = ("answer 0", "answer 1", "answer 2")


def add_class_with_answers(server: Server) -> int:
    """An assignment that is not compared yet: five students, a sixth who copied, and three answers of a chatbot."""
    with server.store.session() as session:
        assignment = AssignmentRow(course_id=server.add_course(), name="Homework 1")
        session.add(assignment)
        session.flush()
        for number in range(5):
            hand_in(session, assignment, f"student {number}", program(number))
        hand_in(session, assignment, STUDENT, program(9))
        for number, name in enumerate(ANSWERS):
            row = hand_in(session, assignment, name, program(9).replace("9", "8", number))
            row.role, row.reference = Role.ARCHIVE, ReferenceKind.CHATBOT
        return assignment.id


def add_run_with_answers(server: Server) -> int:
    """A finished run of such an assignment."""
    run = add_run(server.store, add_class_with_answers(server))
    server.work()
    return run
