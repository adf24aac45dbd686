"""A corpus of old essays on a server, and an assignment in which one of them was copied from."""

from __future__ import annotations

from pathlib import Path

from moss.model import SourceFile, Submission
from moss.store.tables import AssignmentRow
from support.classes import add_submission
from support.corpora import add_here, edited, prose, write_files

ADDRESS = "essays/077.txt"
"""Where the one is that was copied from."""

OLD = f"{ADDRESS} (essays)"
"""What a report calls it."""


def add_corpus(server) -> Path:
    """The server's corpus `essays`, from files in the current folder."""
    write_files(Path("essays"), {f"{n:03}.txt": prose(n, 300) for n in range(70, 90)})
    folder = server.config.data / "corpora" / "essays"
    add_here(folder, Path("essays"))
    return folder


def add_essays(server) -> int:
    """An assignment with essays of three, of which Ada's has the middle of the old one."""
    middle = edited(" ".join(prose(77, 300).split()[80:220]), 1, 3)
    texts = {"Ada": f"{prose(900, 100)} {middle} {prose(901, 100)}", "Bob": prose(902, 300), "Cyd": prose(903, 300)}
    with server.store.session() as session:
        made = AssignmentRow(course_id=server.add_course(), name="Essay")
        session.add(made)
        session.flush()
        for name, text in texts.items():
            add_submission(session, made, Submission(name, name, (SourceFile("essay.txt", text),)))
        return made.id
