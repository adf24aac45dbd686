"""The submissions of an assignment: versions, roles, owners, and what is changed later."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from support.uploads import Desk, open_desk, program, zipped

from moss.model import Role
from moss.store.tables import PersonRow, SubmissionRow

ANN, BO, CY = program(1), program(2), program(3)


@pytest.fixture
def desk(server) -> Desk:
    made = open_desk(server)
    made.confirm(made.send({"hw.zip": zipped({"ann/a.py": ANN, "bo/a.py": BO})}))
    return made


def people(desk: Desk) -> list[str]:
    with desk.server.store.reading() as session:
        return list(session.scalars(select(PersonRow.name).order_by(PersonRow.name)))


def change(desk: Desk, whose: str, **form: str):
    number = next(row.id for row in desk.rows() if row.owner == whose)
    return desk.browser.post(f"/submissions/{number}", form, follow_redirects=True)


def test_everybody_in_the_course_sees_the_submissions(desk):
    page = desk.server.client("assistant").get(f"/assignments/{desk.assignment}/").text
    assert "ann" in page
    assert "bo" in page
    assert "Python" in page
    assert '<form id="upload"' not in page, "assistants read"
    assert desk.server.client("stranger").get(f"/assignments/{desk.assignment}/").status_code == 404


def test_late_work_is_added_and_shown_as_such(desk):
    page = desk.browser.get(f"/assignments/{desk.assignment}/").text
    assert "added later" not in page
    page = desk.confirm(desk.send({"cy.zip": zipped({"a.py": CY}), "bo.zip": zipped({"a.py": CY})}))
    assert "2 students added. 1 replaces an older version." in page
    assert page.count("added later") == 2
    assert "version 2 of 2" in page
    assert [(row.owner, row.version) for row in desk.rows()] == [("ann", 1), ("bo", 1), ("bo", 2), ("cy", 1)]
    assert people(desk) == ["ann", "bo", "cy"]


def test_what_is_unchanged_is_skipped(desk):
    page = desk.confirm(desk.send({"hw.zip": zipped({"ann/a.py": ANN, "bo/a.py": CY})}))
    assert "1 student added. 1 replaces an older version. 1 already here and unchanged: ann." in page
    assert [(row.owner, row.version) for row in desk.rows()] == [("ann", 1), ("bo", 1), ("bo", 2)]


def test_what_an_earlier_version_had_is_a_new_version_again(desk):
    desk.confirm(desk.send({"hw.zip": zipped({"ann/a.py": CY, "x/a.py": BO})}))
    desk.confirm(desk.send({"hw.zip": zipped({"ann/a.py": ANN, "x/a.py": BO})}))
    assert [row.version for row in desk.rows() if row.owner == "ann"] == [1, 2, 3]


def test_handed_out_code_belongs_to_nobody(desk):
    upload = desk.send({"starter.zip": zipped({"base.py": CY})}, "base")
    desk.confirm(upload)
    (base,) = [row for row in desk.rows() if row.role is Role.BASE]
    assert (base.person_id, base.version) == (None, None)
    assert people(desk) == ["ann", "bo"]
    page = desk.confirm(desk.send({"starter.zip": zipped({"base.py": CY})}, "base"))
    assert "already here and unchanged" in page


def test_an_owner_is_corrected_later(desk):
    desk.confirm(desk.send({"ann2.zip": zipped({"a.py": CY}), "x.zip": zipped({"a.py": "x = 1\n"})}))
    assert change(desk, "ann2", owner="ann").status_code == 200
    assert [(row.owner, row.version) for row in desk.rows()] == [("ann", 1), ("ann", 2), ("bo", 1), ("x", 1)]
    assert people(desk) == ["ann", "bo", "x"], "who has handed in nothing is forgotten"


def test_a_role_is_corrected_later(desk):
    change(desk, "bo", role="base")
    (base,) = [row for row in desk.rows() if row.role is Role.BASE]
    assert (base.owner, base.person_id, base.version) == ("bo", None, None)
    change(desk, "bo", role="archive")
    (earlier,) = [row for row in desk.rows() if row.role is Role.ARCHIVE]
    assert earlier.person_id is not None
    assert earlier.version == 1


def test_somebody_is_left_out_and_put_back(desk):
    change(desk, "bo", role="out")
    assert [row.left_out for row in desk.rows()] == [False, True]
    assert "excluded" in desk.browser.get(f"/assignments/{desk.assignment}/").text
    change(desk, "bo", role="new")
    assert [(row.left_out, row.version) for row in desk.rows()] == [(False, 1), (False, 1)]


def test_what_was_left_out_before_it_was_confirmed_is_nobodys_until_put_back(desk):
    upload = desk.send({"readme.md": "read me", "cy.py": CY})
    with desk.server.store.reading() as session:
        query = select(SubmissionRow.id).filter_by(upload_id=upload, owner="readme")
        number = session.scalars(query).one()
    desk.browser.post(f"/submissions/{number}", {"role": "out"})
    page = desk.confirm(upload)
    assert "1 student added. 1 excluded." in page
    assert "readme" not in people(desk)
    change(desk, "readme", role="new")
    assert "readme" in people(desk)


def test_a_language_is_chosen(desk):
    change(desk, "ann", language="java")
    assert [row.language for row in desk.rows()] == ["java", "auto"]
    assert "read as Java" in desk.browser.get(f"/assignments/{desk.assignment}/").text


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"owner": " "}, "Enter a name."),
        ({"owner": "x" * 201}, "That name is too long"),
        ({"role": "boss"}, "There is no role"),
        ({"language": "klingon"}, "doesn’t know the language"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(desk, form, sentence):
    answer = change(desk, "ann", **form)
    assert answer.status_code == 422
    assert sentence in answer.text
    number = desk.rows()[0].id
    answer = desk.browser.post(f"/submissions/{number}", form, headers={"Accept": "application/json"})
    assert answer.status_code == 422
    assert sentence in answer.json["error"]["message"]
    assert desk.rows()[0].owner == "ann"


def test_only_instructors_change_and_only_members_look(desk):
    number = desk.rows()[0].id
    file = desk.files()[0].id
    assert desk.server.client("assistant").post(f"/submissions/{number}", {"owner": "x"}).status_code == 403
    assert desk.server.client("stranger").post(f"/submissions/{number}", {"owner": "x"}).status_code == 404
    assert desk.server.client("assistant").get(f"/submissions/{number}/files/{file}").status_code == 200
    assert desk.server.client("stranger").get(f"/submissions/{number}/files/{file}").status_code == 404


def test_a_file_is_shown_only_with_its_own_submission(desk):
    """The number in the address is of no use to whoever may see another submission."""
    first, second = desk.rows()
    theirs = next(file.id for file in desk.files() if file.submission_id == second.id)
    assert desk.browser.get(f"/submissions/{second.id}/files/{theirs}").status_code == 200
    assert desk.browser.get(f"/submissions/{first.id}/files/{theirs}").status_code == 404


def test_a_preview_is_only_text_and_not_all_of_it(desk):
    hostile = "<script>alert(1)</script>\u202e\0\n" * 300
    desk.confirm(desk.send({"eve.py": hostile}))
    row = next(row for row in desk.rows() if row.owner == "eve")
    file = next(file for file in desk.files() if file.submission_id == row.id)
    page = desk.browser.get(f"/submissions/{row.id}/files/{file.id}").text
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert page.count("alert(1)") == 200
    assert "There are 100 more." in page


def test_the_list_is_searched(desk):
    found = desk.browser.get(f"/assignments/{desk.assignment}/?search=ANN").text
    assert 'data-label="Files">1<' in found
    assert found.count('data-label="Files"') == 1
    assert desk.browser.get(f"/assignments/{desk.assignment}/?search=%25&page=99&role=x").status_code == 200
    assert desk.browser.get(f"/assignments/{desk.assignment}/?search=%01&page=-1").status_code == 200
    assert desk.browser.get(f"/assignments/{desk.assignment}/?search=%00").status_code == 422
