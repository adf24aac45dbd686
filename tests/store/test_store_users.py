"""Accounts in the store: who may have what, and what nobody can take away, on both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select

from moss.store import Store
from moss.store.accounts import credentials
from moss.store.accounts.credentials import (
    SHORTEST_PASSWORD,
    TooOftenError,
    add_token,
    check_password,
    count_attempt,
    delete_attempts,
    hash_password,
    is_password,
    revoke_token,
    tokens_of,
    weakness_of,
)
from moss.store.accounts.first_admin import FoundedError, create_first_admin, is_code, is_founded, setup_code
from moss.store.accounts.users import (
    Identity,
    accept_as_new,
    accept_invitation,
    add_user,
    authenticate,
    change_user,
    choose_password,
    disable,
    invite_back,
    invite_to_course,
    invite_to_server,
    list_users,
    open_invitation,
    open_invitations,
    set_administrator,
    user_of,
    withdraw_invitation,
)
from moss.store.courses.audit import AuditFilter, actions, add_audit_entry, entries
from moss.store.courses.rights import add_member, change_role, members_of, remove_member, role_in
from moss.store.tables import CourseRole, CourseRow, InvitationRow, LoginRow, UserRow, now
from moss.store.validation import RefusedError, clean_email, clean_name

GOOD = "marble otter seventeen"
INSTRUCTOR, ASSISTANT = CourseRole.INSTRUCTOR, CourseRole.ASSISTANT


@pytest.fixture
def store(database_url):
    """An empty store on each kind of database."""
    made = Store(database_url)
    yield made
    made.close()


@pytest.fixture
def session(store):
    with store.session() as session:
        yield session


def person(session, name, **columns):
    return add_user(session, email=f"{name.lower()}@example.org", name=name, **columns)


def a_course(session, **members):
    course = CourseRow(name="Programming 1")
    session.add(course)
    session.flush()
    for name, role in members.items():
        add_member(session, course.id, person(session, name).id, role)
    return course


def named(session, name):
    return session.scalars(select(UserRow).filter_by(name=name)).one()


def at_once(store, *tasks):
    """What comes of each task when all begin at the same moment, each in a transaction of its own."""
    barrier = Barrier(len(tasks))

    def do(task):
        barrier.wait()
        try:
            with store.session() as session:
                task(session)
        except (RefusedError, FoundedError) as error:
            return error
        return None

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(do, tasks))


# what people type


@pytest.mark.parametrize(
    "typed", ["", " ", "ada", "ada@", "@example.org", "a b@example.org", "a@b@c", "a\n@b.c", "<a@b>"]
)
def test_what_is_no_address_is_refused(typed):
    with pytest.raises(RefusedError) as refused:
        clean_email(typed)
    assert refused.value.field == "email"


def test_an_address_is_the_same_however_it_is_written():
    assert clean_email(" Ada@Example.ORG ") == "ada@example.org"


@given(st.text())
def test_a_name_is_one_line_or_refused(text):
    try:
        name = clean_name(text)
    except RefusedError:
        return
    assert name == " ".join(name.split())
    assert 0 < len(name) <= 200


# passwords


@pytest.mark.parametrize(
    "password",
    ["short", "a" * 20, "abababababab", "password123", "P4ssw0rd2026!", "passwordpassword", "1234567890", "qwertyuiop",
     "lkjhgfdsapo", "abcdefghijkl", "AdaLovelace99", "lovelace!!!!", "ada.lovelace", "ada@example.org"],
)  # fmt: skip
def test_what_can_be_guessed_is_refused(password):
    assert weakness_of(password, "Ada Lovelace", "ada@example.org")


@pytest.mark.parametrize(
    "password", [GOOD, "8mq4-tz7k-wv2x", "пароль из четырёх слов", "adagio on the roof", "一二三四五六七八九十"]
)
def test_what_is_hard_to_guess_is_taken(password):
    assert weakness_of(password, "Ada Lovelace", "ada@example.org") == ""


@given(st.text(max_size=SHORTEST_PASSWORD - 1))
def test_a_short_password_is_refused(password):
    assert "longer" in weakness_of(password)


def test_both_passwords_must_be_the_same():
    with pytest.raises(RefusedError) as refused:
        check_password(GOOD, GOOD + "!")
    assert refused.value.field == "again"


def test_a_password_is_right_on_every_keyboard():
    stored = hash_password("grün und blau und gelb")
    assert "grün" not in stored
    assert is_password(stored, "gru\N{COMBINING DIAERESIS}n und blau und gelb")
    assert not is_password(stored, "grun und blau und gelb")
    assert not is_password(None, "the password of nobody")


def test_to_guess_a_password_takes_time_and_memory(real_password_method, monkeypatch):
    quick = hash_password(GOOD)
    monkeypatch.setattr(credentials, "METHOD", real_password_method)
    stored = hash_password(GOOD)
    method, cost, block, _ = stored.partition("$")[0].split(":")
    assert (method, 128 * int(cost) * int(block)) == ("scrypt", 32 * 1024**2)  # bytes that it needs
    assert is_password(stored, GOOD)
    assert is_password(quick, GOOD)  # one that was hashed in another way is still right


# users


def test_a_user_is_known_by_address_and_password(session):
    ada = person(session, "Ada", password=GOOD)
    assert authenticate(session, " ADA@example.org", GOOD) is ada
    assert authenticate(session, "ada@example.org", GOOD + "x") is None
    assert authenticate(session, "eve@example.org", GOOD) is None
    ada.disabled = True
    assert authenticate(session, "ada@example.org", GOOD) is None


def test_two_accounts_never_have_one_address(store):
    results = at_once(store, *[lambda session: person(session, "Ada")] * 4)
    assert len([error for error in results if error is None]) == 1
    with store.session() as session:
        bob = person(session, "Bob")
        with pytest.raises(RefusedError):
            change_user(session, bob, name="Bob", email="ADA@example.org")
        change_user(session, bob, name="Robert", email="bob@example.org")
        assert bob.name == "Robert"


def test_disabling_ends_log_ins_and_tokens(session):
    person(session, "Ada", administrator=True)
    bob = person(session, "Bob")
    session.add(LoginRow(digest="x", user_id=bob.id))
    add_token(session, bob, "script", 30)
    disable(session, bob)
    assert session.scalar(select(func.count(LoginRow.id))) == 0
    assert not tokens_of(session, bob)


@pytest.mark.parametrize("change", [disable, lambda session, user: set_administrator(session, user, False)])
def test_the_last_administrator_stays(session, change):
    ada = person(session, "Ada", administrator=True)
    person(session, "Old", administrator=True).disabled = True
    person(session, "Bob")
    with pytest.raises(RefusedError, match="last administrator"):
        change(session, ada)
    set_administrator(session, named(session, "Bob"), True)
    change(session, ada)
    assert ada.disabled or not ada.administrator


def test_two_administrators_cannot_remove_each_other(store):
    with store.session() as session:
        people = [person(session, name, administrator=True).id for name in ("Ada", "Bob")]
    results = at_once(store, *[lambda session, id=id: disable(session, session.get(UserRow, id)) for id in people])
    assert sum(error is None for error in results) == 1
    with store.reading() as session:
        assert session.scalar(select(func.count(UserRow.id)).filter_by(administrator=True, disabled=False)) == 1


def test_users_are_found_by_name_or_address(session):
    for name in ("Ada", "bob", "Ca%rl"):
        person(session, name)
    assert [row.user.name for row in list_users(session)] == ["Ada", "bob", "Ca%rl"]
    assert [row.user.name for row in list_users(session, "BOB@")] == ["bob"]
    assert [row.user.name for row in list_users(session, "%")] == ["Ca%rl"]
    assert [row.user.name for row in list_users(session, "", 1, 1)] == ["bob"]


# the first start


def test_one_of_many_becomes_the_administrator(store):
    def come(number):
        return lambda session: create_first_admin(
            session, name=f"N{number}", email=f"n{number}@example.org", password=GOOD
        )

    results = at_once(store, *map(come, range(4)))
    assert sum(error is None for error in results) == 1
    with store.reading() as session:
        assert session.scalar(select(func.count(UserRow.id))) == 1
        assert is_founded(session)


def test_the_code_is_the_same_for_all_and_however_it_is_typed(store):
    with ThreadPoolExecutor(4) as pool:
        (code,) = set(pool.map(lambda _: setup_code(store), range(4)))
    assert is_code(store, f" {code.lower().replace('-', ' ')} ")
    assert not is_code(store, "")
    assert not is_code(store, code[:-1])


# invitations


def test_an_invitation_makes_an_account_once(session):
    course = a_course(session)
    _, secret = invite_to_course(session, course.id, " Bob@example.org", ASSISTANT, None)
    invitation = open_invitation(session, secret)
    bob = accept_as_new(session, invitation, "Bob", GOOD)
    assert (bob.email, role_in(session, course.id, bob.id)) == ("bob@example.org", ASSISTANT)
    assert open_invitation(session, secret) is None
    with pytest.raises(RefusedError, match="used"):
        accept_invitation(session, invitation, bob)


def test_an_invitation_is_used_once_by_many(store):
    with store.session() as session:
        course = a_course(session, Ada=INSTRUCTOR, Bob=ASSISTANT, Eve=ASSISTANT)
        elsewhere = a_course(session)
        _, secret = invite_to_course(session, elsewhere.id, "new@example.org", INSTRUCTOR, None)
        people = [member.user_id for member in members_of(session, course.id)]

    def come(user_id):
        return lambda session: accept_invitation(
            session, open_invitation(session, secret) or gone(), session.get(UserRow, user_id)
        )

    def gone():
        raise RefusedError("", "gone")

    results = at_once(store, *map(come, people))
    assert sum(error is None for error in results) == 1
    with store.reading() as session:
        assert len(members_of(session, elsewhere.id)) == 1


def test_a_link_ends(session):
    course = a_course(session)
    _, lost = invite_to_course(session, course.id, "bob@example.org", ASSISTANT, None)
    second, secret = invite_to_course(session, course.id, "BOB@example.org", INSTRUCTOR, None)
    assert open_invitation(session, lost) is None, "a new link takes the place of the old one"
    assert list(open_invitations(session, course.id)) == [second]
    assert open_invitation(session, "") is None
    assert timedelta(days=13) < second.expires - now() <= timedelta(days=14)
    second.expires = now() - timedelta(seconds=1)
    session.flush()
    assert open_invitation(session, secret) is None
    assert withdraw_invitation(session, second.id, None) is None, "it is the course's"
    assert withdraw_invitation(session, second.id, course.id) is second
    session.flush()
    assert session.scalar(select(func.count(InvitationRow.id))) == 0


def test_nobody_is_invited_twice(session):
    course = a_course(session, Ada=INSTRUCTOR)
    with pytest.raises(RefusedError, match="member"):
        invite_to_course(session, course.id, "ada@example.org", ASSISTANT, None)
    with pytest.raises(RefusedError, match="already an account"):
        invite_to_server(session, "ada@example.org", True, None)


def test_who_is_an_instructor_stays_one(session):
    course = a_course(session, Ada=INSTRUCTOR, Bob=ASSISTANT)
    add_member(session, course.id, named(session, "Ada").id, ASSISTANT)
    add_member(session, course.id, named(session, "Bob").id, INSTRUCTOR)
    assert {member.role for member in members_of(session, course.id)} == {INSTRUCTOR}


def test_an_administrators_invitation_is_for_nobody_else(session):
    _, secret = invite_to_server(session, "new@example.org", True, None)
    eve = person(session, "Eve")
    with pytest.raises(RefusedError, match=r"new@example\.org"):
        accept_invitation(session, open_invitation(session, secret), eve)
    assert not eve.administrator
    assert accept_as_new(session, open_invitation(session, secret), "New", GOOD).administrator


def test_a_new_password_ends_all_log_ins_and_tokens(session):
    ada = person(session, "Ada", password=GOOD)
    session.add(LoginRow(digest="x", user_id=ada.id))
    add_token(session, ada, "script", None)
    _, secret = invite_back(session, ada, None)
    choose_password(session, open_invitation(session, secret), ada, "another otter entirely")
    assert authenticate(session, ada.email, "another otter entirely") is ada
    assert session.scalar(select(func.count(LoginRow.id))) == 0
    assert tokens_of(session, ada) == []
    _, secret = invite_back(session, ada, None)
    ada.disabled = True
    assert open_invitation(session, secret) is None
    with pytest.raises(RefusedError, match="disabled"):
        invite_back(session, ada, None)


# members


@pytest.mark.parametrize(
    "change",
    [lambda session, course, user, by: remove_member(session, course, user, by=by),
     lambda session, course, user, by: change_role(session, course, user, ASSISTANT, by=by)],
)  # fmt: skip
def test_the_last_instructor_stays_unless_an_administrator_says_so(session, change):
    course = a_course(session, Ada=INSTRUCTOR, Bob=ASSISTANT)
    ada = named(session, "Ada")
    with pytest.raises(RefusedError, match="last instructor"):
        change(session, course.id, ada, ada)
    change(session, course.id, ada, person(session, "Root", administrator=True))
    assert role_in(session, course.id, ada.id) is not INSTRUCTOR


def test_two_instructors_cannot_remove_each_other(store):
    with store.session() as session:
        course = a_course(session, Ada=INSTRUCTOR, Bob=INSTRUCTOR).id
        ada, bob = (named(session, name).id for name in ("Ada", "Bob"))

    def removes(by, whom):
        def task(session):
            remove_member(session, course, session.get(UserRow, whom), by=session.get(UserRow, by))

        return task

    results = at_once(store, removes(ada, bob), removes(bob, ada))
    assert sum(error is None for error in results) == 1


def test_who_is_no_member_cannot_be_removed(session):
    course = a_course(session, Ada=INSTRUCTOR)
    with pytest.raises(RefusedError, match="not a member"):
        remove_member(session, course.id, person(session, "Eve"), by=named(session, "Ada"))


# tokens


def test_a_token_is_shown_once_and_stored_never(session):
    ada, bob = person(session, "Ada"), person(session, "Bob")
    token, secret = add_token(session, ada, " my  script ", 30)
    assert secret.startswith("moss_")
    assert secret not in (token.digest, token.name)
    assert token.name == "my script"
    assert timedelta(days=29) < token.expires - now() <= timedelta(days=30)
    assert add_token(session, ada, "other", None)[0].expires is None
    assert revoke_token(session, bob, token.id) is None, "it is not Bob's"
    assert revoke_token(session, ada, token.id) is token
    assert revoke_token(session, ada, token.id) is None
    assert [token.name for token in tokens_of(session, ada)] == ["other"]


@pytest.mark.parametrize(("name", "days"), [("", 30), ("x", 0), ("x", -1), ("x", 100_000)])
def test_a_token_without_name_or_end_is_refused(session, name, days):
    with pytest.raises(RefusedError):
        add_token(session, person(session, "Ada"), name, days)


# attempts


def test_so_many_and_no_more(session):
    within = timedelta(minutes=15)
    ids = [count_attempt(session, "a", 3, within) for _ in range(3)]
    with pytest.raises(TooOftenError) as refused:
        count_attempt(session, "a", 3, within)
    assert 0 < refused.value.wait <= 900
    count_attempt(session, "b", 3, within)
    delete_attempts(session, ids[:1])
    count_attempt(session, "a", 3, within)
    with pytest.raises(TooOftenError):
        count_attempt(session, "a", 3, within)


def test_what_is_long_ago_does_not_count(session):
    from moss.store.tables import AttemptRow

    session.add(AttemptRow(key="a", at=now() - timedelta(minutes=16)))
    session.add(AttemptRow(key="a", at=now() - timedelta(days=2)))
    session.flush()
    count_attempt(session, "a", 1, timedelta(minutes=15))
    assert session.scalar(select(func.count(AttemptRow.id))) == 2, "the oldest is removed"


# identities


def identity(**changed):
    ada = {"issuer": "https://id.example.org", "subject": "17", "email": "Ada@Example.org", "name": "Ada"}
    return Identity(**ada | {"verified": True} | changed)


def test_an_identity_is_known_by_its_subject_then_by_its_address(session):
    ada = person(session, "Ada")
    assert user_of(session, identity(), create=False) == (ada, False)
    assert user_of(session, identity(email="new@example.org", verified=False), create=False) == (ada, False)
    with pytest.raises(RefusedError, match="another identity"):
        user_of(session, identity(subject="18"), create=True)
    with pytest.raises(RefusedError, match="another identity"):
        user_of(session, identity(issuer="https://evil.example.org"), create=True)


@pytest.mark.parametrize("changed", [{"verified": False}, {"email": ""}])
def test_an_address_that_nobody_verified_says_nothing(session, changed):
    ada = person(session, "Ada")
    with pytest.raises(RefusedError):
        user_of(session, identity(**changed), create=True)
    assert ada.subject is None


def test_the_unknown_are_refused_unless_they_are_to_have_accounts(session):
    with pytest.raises(RefusedError, match=r"no account for ada@example\.org"):
        user_of(session, identity(), create=False)
    ada, made = user_of(session, identity(), create=True)
    assert made
    assert (ada.email, ada.password) == ("ada@example.org", None)


def test_the_invited_get_what_they_are_invited_to(session):
    course = a_course(session)
    invite_to_course(session, course.id, "ada@example.org", ASSISTANT, None)
    ada, made = user_of(session, identity(), create=False)
    assert made
    assert role_in(session, course.id, ada.id) is ASSISTANT
    assert not open_invitations(session, course.id)


def test_the_disabled_are_refused(session):
    ada = person(session, "Ada")
    ada.disabled = True
    with pytest.raises(RefusedError, match="disabled"):
        user_of(session, identity(), create=True)
    assert ada.subject is None


# audit


def test_the_audit_is_chosen_from(session):
    course = a_course(session)
    add_audit_entry(session, "ada@example.org", "logged in", how="x")
    add_audit_entry(session, "bob@example.org", "logged out")
    session.flush()
    first, second = reversed(entries(session, AuditFilter(), 10))
    second.course_id = course.id
    second.at = now() - timedelta(days=3)
    session.flush()
    today = now().date()

    def shown(**choice):
        return [entry.id for entry in entries(session, AuditFilter(**choice), 10)]

    assert shown() == [second.id, first.id]
    assert shown(who="ADA@") == [first.id]
    assert shown(action="logged out") == [second.id]
    assert shown(since=today - timedelta(days=1)) == [first.id]
    assert shown(until=today - timedelta(days=1)) == [second.id]
    assert shown(until=today, since=today) == [first.id]
    assert shown(course_id=course.id) == [second.id]
    assert shown(before=second.id) == [first.id]
    assert list(actions(session, AuditFilter(course_id=course.id))) == ["logged out"]
