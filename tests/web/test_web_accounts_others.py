"""Accounts of others on the web: invitations, members of a course, users, the audit, the way around."""

from __future__ import annotations

import ast
import re
from datetime import timedelta
from pathlib import Path

import pytest
from flask import render_template
from sqlalchemy import select, update
from support.accounts import PASSWORD, audited, give_password, link_on, log_in_as, user_with
from support.server import PEOPLE, make_server

from moss.store.courses.assignments import add_assignment
from moss.store.tables import (
    ApiTokenRow,
    AuditEntryRow,
    CourseRole,
    CourseRow,
    InvitationRow,
    LoginRow,
    MembershipRow,
    PersonRow,
    RunRow,
    UserRow,
    now,
)
from moss.web.pages.audit_words import ACTIONS, HIDDEN, LABELS

NEW = {"name": "Nora New", "password": PASSWORD, "again": PASSWORD}


def invite(server, email="nora@example.org", role="assistant", course=None):
    """The path of a new invitation, to a course or by an administrator to the server."""
    browser = server.client("instructor" if course else "administrator")
    path = f"/courses/{course}/members" if course else "/users"
    answer = browser.post(path, {"email": email, "role": role})
    assert answer.status_code == 303, answer.text
    page = browser.get(path).text
    link = link_on(page)
    assert link.startswith("/invitations/")
    assert link_on(browser.get(path).text) == "", "it is shown once"
    return link


def role_of(server, course, email):
    with server.store.reading() as session:
        return session.scalar(
            select(MembershipRow.role).join(UserRow).where(UserRow.email == email, MembershipRow.course_id == course)
        )


@pytest.fixture
def course(server):
    return server.add_course()


# invitations


def test_an_invited_colleague_joins(server, course):
    link = invite(server, course=course)
    browser = server.client("nobody")
    page = browser.get(link).text
    assert "Join <bdi>Programming 1, 2026</bdi>" in page
    assert "an assistant" in page
    assert browser.post(link, NEW | {"name": ""}).status_code == 422
    assert "longer" in browser.post(link, NEW | {"password": "x"}).text
    assert browser.post(link, NEW).location == "/"
    assert "Nora New" in browser.get("/account").text
    assert role_of(server, course, "nora@example.org") == "assistant"
    assert server.client("nobody").get(link).status_code == 404, "it works once"
    assert "for a new one" in server.client("nobody").post(link, NEW).text
    assert ("nora@example.org", "accepted an invitation") in audited(server.store)


def test_an_existing_user_joins_by_a_click(server, course):
    give_password(server, "stranger")
    link = invite(server, PEOPLE["stranger"], "instructor", course)
    nobody = server.client("nobody")
    assert f"/login?then={link}" in nobody.get(link).text
    assert nobody.post(link, NEW).status_code == 422, "nobody takes an account over by an invitation"
    browser, answer = log_in_as(server, "stranger", then=link)
    assert answer.location == link
    assert "Join as <bdi>Stranger</bdi>" in browser.get(link).text
    assert browser.post(link).status_code == 303
    assert role_of(server, course, PEOPLE["stranger"]) == "instructor"


def test_an_invitation_expires_and_can_be_withdrawn(server, course):
    old, withdrawn = invite(server, course=course), invite(server, "otto@example.org", course=course)
    with server.store.session() as session:
        session.execute(
            update(InvitationRow).filter_by(email="nora@example.org").values(expires=now() - timedelta(days=1))
        )
        number = session.scalar(select(InvitationRow.id).filter_by(email="otto@example.org"))
    assert server.client("nobody").get(old).status_code == 404
    page = server.client("instructor").get(f"/courses/{course}/members").text
    assert "otto@example.org" in page
    assert "nora@example.org" not in page
    other = server.add_course("Other")
    assert server.client().post(f"/courses/{other}/invitations/{number}/withdraw").status_code == 404
    assert server.client().post(f"/courses/{course}/invitations/{number}/withdraw").status_code == 303
    assert server.client("nobody").get(withdrawn).status_code == 404


def test_links_lead_where_readers_reach_the_server(tmp_path):
    with make_server(tmp_path, public_url="http://moss.example.org/path/") as server:
        browser = server.client("administrator")
        browser.post("/users", {"email": "nora@example.org", "role": "user"})
        assert 'value="http://moss.example.org/path/invitations/' in browser.get("/users").text


# members


def test_assistants_see_the_members_and_change_nothing(server, course):
    assistant = server.client("assistant")
    page = assistant.get(f"/courses/{course}/members").text
    assert "ines@example.org" in page
    assert "Invite someone" not in page
    assert 'name="role"' not in page
    anton = server.id_of("assistant")
    for path in ("", f"/{anton}", f"/{anton}/remove"):
        answer = assistant.post(f"/courses/{course}/members{path}", {"role": "instructor"})
        assert answer.status_code == 403
    assert server.client("stranger").get(f"/courses/{course}/members").status_code == 404


def test_roles_are_changed_and_members_removed(server, course):
    browser, anton = server.client("instructor"), server.id_of("assistant")
    assert browser.post(f"/courses/{course}/members/{anton}", {"role": "owner"}).status_code == 422
    assert browser.post(f"/courses/{course}/members/{anton}", {"role": "instructor"}).status_code == 303
    assert role_of(server, course, PEOPLE["assistant"]) == "instructor"
    assert "Assistant is now an instructor." in browser.get(f"/courses/{course}/members").text
    assert browser.post(f"/courses/{course}/members/{anton}/remove").status_code == 303
    assert role_of(server, course, PEOPLE["assistant"]) is None
    assert server.client("assistant").get(f"/courses/{course}/members").status_code == 404
    assert browser.post(f"/courses/{course}/members/{anton}/remove").status_code == 404
    done = [action for _, action in audited(server.store)]
    assert done == ["changed a member's role", "removed a member"]


def test_the_last_instructor_cannot_leave_but_an_administrator_can_remove_them(server, course):
    path = f"/courses/{course}/members/{server.id_of('instructor')}"
    browser = server.client("instructor")
    for answer in (browser.post(f"{path}/remove"), browser.post(path, {"role": "assistant"})):
        assert answer.status_code == 422
        assert "last instructor" in answer.text
    assert server.client("administrator").post(f"{path}/remove").status_code == 303
    assert browser.get(f"/courses/{course}/members").status_code == 404


def test_who_leaves_is_led_home(server, course):
    with server.store.session() as session:
        session.execute(update(MembershipRow).values(role=CourseRole.INSTRUCTOR))
    path = f"/courses/{course}/members/{server.id_of('instructor')}/remove"
    assert server.client("instructor").post(path).location == "/"


@pytest.mark.parametrize(("form", "says"), [
    ({"email": "x", "role": "assistant"}, "not an email address"), ({"email": "a@b.c", "role": "x"}, "Choose a role"),
    ({"email": PEOPLE["assistant"].upper(), "role": "assistant"}, "already a member of this course"),
])  # fmt: skip
def test_a_wrong_invitation_is_refused(server, course, form, says):
    answer = server.client().post(f"/courses/{course}/members", form)
    assert answer.status_code == 422
    assert says in answer.text
    assert f'value="{form["email"]}"' in answer.text


# users


def test_only_administrators_see_users(server):
    for person, code in {
        "administrator": 200,
        "instructor": 403,
        "assistant": 403,
        "stranger": 403,
        "nobody": 302,
    }.items():
        assert server.client(person).get("/users").status_code == code
        assert server.client(person).get("/users/2/").status_code == code
        assert server.client(person).get("/audit").status_code == code


@pytest.mark.parametrize("role", ["user", "administrator"])
def test_an_administrator_invites_to_the_server(server, role):
    link = invite(server, role=role)
    assert server.client("nobody").post(link, NEW).status_code == 303
    assert user_with(server.store, "nora@example.org").administrator is (role == "administrator")
    answer = server.client("administrator").post("/users", {"email": "nora@example.org", "role": role})
    assert "already an account" in answer.text


def test_users_are_searched(server):
    page = server.client("administrator").get("/users?text=INES").text
    assert "ines@example.org" in page
    assert "anton@example.org" not in page
    assert "No user found" in server.client("administrator").get("/users?text=%25%25").text


def test_an_administrator_gives_a_link_for_a_new_password(server):
    give_password(server, "instructor")
    administrator, logged_in = server.client("administrator"), server.client("instructor")
    path = f"/users/{server.id_of('instructor')}"
    assert administrator.post(f"{path}/reset").status_code == 303
    link = link_on(administrator.get(f"{path}/").text)
    assert logged_in.get("/account").status_code == 200, "nothing changes until it is used"
    browser = server.client("nobody")
    assert "Choose a new password" in browser.get(link).text
    new = {"password": "another otter entirely", "again": "another otter entirely"}
    assert browser.post(link, new).status_code == 303
    assert "ines@example.org" in browser.get("/account").text
    assert logged_in.get("/account").status_code == 302
    assert log_in_as(server, "instructor")[1].status_code == 422
    assert log_in_as(server, "instructor", password="another otter entirely")[1].status_code == 303
    assert browser.get(link).status_code == 404
    assert ("ines@example.org", "chose a new password") in audited(server.store)


def test_the_disabled_are_out_at_once_and_for_good(server):
    logged_in, administrator = server.client("instructor"), server.client("administrator")
    logged_in.post("/account/tokens", {"token_name": "x", "days": "30"})
    path = f"/users/{server.id_of('instructor')}"
    assert administrator.post(f"{path}/disable").status_code == 303
    assert logged_in.get("/account").status_code == 302
    assert administrator.post(f"{path}/reset").status_code == 422
    assert administrator.post(f"{path}/enable").status_code == 303
    assert logged_in.get("/account").status_code == 302, "they must log in again"
    with server.store.reading() as session:
        assert session.scalars(select(ApiTokenRow)).one().revoked
        assert not session.scalars(select(LoginRow).filter_by(user_id=server.id_of("instructor"))).all()


def test_the_last_administrator_stays(server):
    administrator, path = server.client("administrator"), f"/users/{server.id_of('administrator')}"
    for answer in (administrator.post(f"{path}/disable"), administrator.post(f"{path}/administrator", {})):
        assert answer.status_code == 422
        assert "last administrator" in answer.text
    other = f"/users/{server.id_of('instructor')}"
    assert administrator.post(f"{other}/administrator", {"administrator": "yes"}).status_code == 303
    assert server.client("instructor").get("/users").status_code == 200
    assert administrator.post(f"{path}/administrator", {}).location == "/"
    assert administrator.get("/users").status_code == 403


def test_a_user_is_changed(server):
    administrator, path = server.client("administrator"), f"/users/{server.id_of('assistant')}/"
    answer = administrator.post(path, {"name": "X", "email": PEOPLE["instructor"]})
    assert answer.status_code == 422
    assert "<h1><bdi>Assistant</bdi></h1>" in answer.text
    assert administrator.post(path, {"name": "Anton Ant", "email": "Ant@example.org"}).status_code == 303
    assert user_with(server.store, "ant@example.org").name == "Anton Ant"


# audit


def test_the_audit_is_paged_and_chosen_from(server, course):
    with server.store.session() as session:
        for number in range(150):
            session.add(AuditEntryRow(actor=f"n{number}@example.org", action="did it", address="192.0.2.1"))
        session.add(AuditEntryRow(actor="x@example.org", action="taught", course_id=course, detail={"who": "<script>"}))
    browser = server.client("administrator")
    page = browser.get("/audit").text
    assert "n149@" in page
    assert "n50@" not in page
    assert "who: <bdi>&lt;script&gt;</bdi>" in page
    older = page.partition("Older")[0].rpartition('href="')[2].partition('"')[0].replace("&amp;", "&")
    assert "n50@" in browser.get(older).text
    assert "n149@" not in browser.get(older).text
    chosen = browser.get("/audit?who=n7@&action=did+it&since=2020-01-01").text
    assert ("n7@" in chosen, "n8@" in chosen) == (True, False)
    assert "Nothing found" in browser.get("/audit?until=2020-01-01").text
    assert browser.get("/audit?since=nonsense&before=x").status_code == 200


def test_instructors_see_the_audit_of_their_course(server, course):
    with server.store.session() as session:
        session.add(AuditEntryRow(actor="x@example.org", action="taught", course_id=course, address="192.0.2.1"))
        session.add(AuditEntryRow(actor="y@example.org", action="did it"))
    page = server.client("instructor").get(f"/courses/{course}/audit").text
    assert "x@example.org" in page
    assert "y@example.org" not in page
    assert "192.0.2.1" not in page, "where colleagues sit is not theirs to know"
    assert server.client("assistant").get(f"/courses/{course}/audit").status_code == 403
    assert server.client("stranger").get(f"/courses/{course}/audit").status_code == 404


def test_the_audit_names_what_still_exists_and_leads_there(server, course):
    with server.store.session() as session:
        first, second = (
            add_assignment(session, session.get_one(CourseRow, course), name) for name in ("Lists", "Trees")
        )
        person = PersonRow(course_id=course, name="Ann Quill")
        session.add(person)
        session.flush()
        for action, detail in (
            ("began an upload", {"assignment": first.id, "upload": 77}),
            ("started a run", {"assignment": "Trees", "run": 3}),
            ("discarded an upload", {"assignment": 4_000}),
            ("erased a person", {"person": person.id, "cases": 2}),
            ("changed how long a course is kept", {"before": "always", "after": 30}),
        ):
            session.add(AuditEntryRow(actor="x@example.org", action=action, course_id=course, detail=detail))
        first, second = first.id, second.id
    page = server.client("instructor").get(f"/courses/{course}/audit").text
    assert f'assignment: <a href="/assignments/{first}/"><bdi>Lists</bdi></a>' in page
    assert f'assignment: <a href="/assignments/{second}/"><bdi>Trees</bdi></a> · run: <bdi>3</bdi>' in page
    assert "assignment: no. 4000, deleted since" in page
    assert "upload: no. 77, deleted since" in page
    assert "erased a student" in page
    assert "Ann Quill" not in page, "whoever was erased is not named"
    assert "before: no limit · after: 30 days" in page


def test_what_was_deleted_is_not_taken_for_what_has_its_number_or_name_now(server, course):
    instructor = server.client("instructor")
    for name in ("Lists", "Trees"):
        with server.store.session() as session:
            old = add_assignment(session, session.get_one(CourseRow, course), name)
            about = {"course_id": course, "actor": "x@example.org"}
            session.add(AuditEntryRow(**about, action="began an upload", detail={"assignment": old.id}))
            session.add(AuditEntryRow(**about, action="started a run", detail={"assignment": name, "run": 3}))
            old = old.id
        instructor.post(f"/assignments/{old}/delete", {"confirmation": name})
    with server.store.session() as session:
        new = add_assignment(session, session.get_one(CourseRow, course), "Trees")
        session.add(RunRow(assignment_id=new.id, number=3, finished=now()))
        assert new.id == old or not server.store.is_sqlite
    page = instructor.get(f"/courses/{course}/audit").text
    assert page.count(f"assignment: no. {old}, deleted since") == 2
    assert "assignment: <bdi>Trees</bdi> · run: <bdi>3</bdi>" in page
    assert f'href="/assignments/{old}/"' not in page
    assert 'href="/runs/1/"' not in page


def test_everything_that_is_written_into_the_audit_has_words():
    written, named = set(), set()
    for path in (Path(__file__).parents[2] / "moss").rglob("*.py"):
        for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            function = getattr(call.func, "id", "")
            if function in ("audit", "add_audit_entry"):
                place = call.args[0 if function == "audit" else 2]
                written |= {node.value for node in ast.walk(place) if isinstance(node, ast.Constant)}
                named |= {each.arg for each in call.keywords} - {"course_id", "user", "user_id", "address", None}
    assert len(written) > 40
    assert written - ACTIONS.keys() == set()
    assert named - LABELS.keys() - HIDDEN == set()


# the way around


@pytest.mark.parametrize(("person", "shown"), [("administrator", True), ("instructor", False)])
def test_the_masthead_shows_the_way(server, person, shown):
    page = server.client(person).get("/account").text
    assert ("Administration" in page) is shown
    assert "Log out" in page


def test_the_masthead_can_be_put_into_other_pages(server):
    from moss.web.request.cookies import recognise

    browser = server.client("instructor")
    with server.app.test_request_context("/", headers={"Cookie": f"moss={browser.cookie}"}):
        server.app.preprocess_request()
        recognise()
        assert 'action="/logout"' in render_template("web/_account.html")
    with server.app.test_request_context("/"):
        recognise()
        assert "Log out" not in render_template("web/_account.html")


def test_names_of_others_are_shown_as_they_are(server, course):
    with server.store.session() as session:
        session.get_one(UserRow, server.id_of("assistant")).name = "A\u202eb<img src=x>"
    for person, path in {"instructor": f"/courses/{course}/members", "administrator": "/users"}.items():
        page = server.client(person).get(path).text
        assert "<img" not in page
        assert "\u202e" not in page


@pytest.mark.parametrize("action", ["", "/remove"])
def test_an_instructor_is_told_of_nobody_but_members(server, action):
    course, browser = server.add_course(), server.client()
    answers = [browser.post(f"/courses/{course}/members/{number}{action}", {"role": "assistant"})
               for number in (server.id_of("stranger"), 4711)]  # fmt: skip
    assert [answer.status_code for answer in answers] == [404, 404]
    one, other = (re.sub("[0-9a-f]{128}", "", answer.text) for answer in answers)  # forms carry masked tokens
    assert one == other
    assert "Stranger" not in answers[0].text
