"""Accounts on the web: set-up, log-in, the account's own page."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import delete, func, select, update
from support.accounts import PASSWORD, audited, give_password, link_on, log_in_as, new_server, user_with
from support.server import PEOPLE, make_server
from support.tokens import programs

from moss.config import Config
from moss.store.accounts import credentials
from moss.store.accounts.first_admin import setup_code
from moss.store.tables import ApiTokenRow, CourseRow, LoginRow, MembershipRow, ServerValueRow, UserRow, now
from moss.web.pages.account import browser_in_words
from moss.web.pages.setup import needs_code
from moss.web.request.addresses import local_path
from moss.web.request.limits import network, wait_in_words

FORM = {"name": "Ada Lovelace", "email": "ada@example.org", "password": PASSWORD, "again": PASSWORD}


@pytest.fixture
def fresh(tmp_path):
    """A server that nobody has set up."""
    with new_server(tmp_path) as made:
        yield made


# set-up


@pytest.mark.parametrize("path", ["/", "/login", "/account", "/invitations/x", "/users"])
def test_every_page_leads_to_the_set_up(fresh, path):
    answer = fresh.client("nobody").get(path, follow_redirects=True)
    assert answer.request.path == "/setup"
    assert "Create the administrator" in answer.text
    assert "Set-up code" not in answer.text, "nobody else reaches a server on loopback"


def test_what_watches_and_what_pages_need_is_not_led_away(fresh):
    assert fresh.client("nobody").get("/health").json == {"status": "ok"}
    with fresh.client("nobody").get("/assets/moss.css") as answer:
        assert answer.status_code == 200


def test_the_whole_set_up(fresh):
    browser = fresh.client("nobody")
    before = browser.flask.get_cookie("moss").value
    answer = browser.post("/setup", FORM)
    assert (answer.status_code, answer.location) == (303, "/setup/course")
    assert browser.flask.get_cookie("moss").value != before
    assert "Your first course" in browser.get("/setup/course").text
    assert browser.post("/setup/course", {"course": "", "term": ""}).status_code == 422
    assert browser.post("/setup/course", {"course": "Logic 1", "term": "2026"}).location == "/courses/1/"
    ada = user_with(fresh.store, "ada@example.org")
    assert ada.administrator
    with fresh.store.reading() as session:
        assert session.scalars(select(CourseRow)).one().title == "Logic 1, 2026"
        assert session.scalars(select(MembershipRow)).one().role == "instructor"
    assert audited(fresh.store) == [("ada@example.org", "set up the server"), ("ada@example.org", "created a course")]


def test_the_set_up_is_gone_for_ever(fresh):
    browser = fresh.client("nobody")
    browser.post("/setup", FORM)
    browser.post("/setup/course", {"skip": "yes"})
    for method, path in (("get", "/setup"), ("post", "/setup"), ("get", "/setup/course"), ("post", "/setup/course")):
        assert getattr(browser, method)(path).status_code == 404
    assert fresh.client("nobody").post("/setup", FORM | {"email": "eve@example.org"}).status_code == 404
    assert user_with(fresh.store, "eve@example.org") is None
    with fresh.store.reading() as session:
        assert session.scalars(select(CourseRow)).all() == []


@pytest.mark.parametrize(
    ("changed", "says"),
    [({"name": " "}, "Enter a name"), ({"email": "ada"}, "not an email address"), ({"password": "short"}, "longer"),
     ({"password": "Lovelace1843"}, "easy to guess"), ({"again": "another one"}, "differ")],
)  # fmt: skip
def test_wrong_input_is_said_at_its_field_and_the_rest_is_kept(fresh, changed, says):
    answer = fresh.client("nobody").post("/setup", FORM | changed)
    assert answer.status_code == 422
    assert says in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert answer.text.count("ada@example.org") or "email" in changed
    assert PASSWORD not in answer.text
    assert user_with(fresh.store, "ada@example.org") is None


def test_of_many_who_set_up_at_once_one_wins(tmp_path, database_url):
    with new_server(tmp_path, database_url) as fresh:
        barrier = Barrier(4)

        def come(number):
            browser = fresh.client("nobody")
            barrier.wait()
            return browser.post("/setup", FORM | {"email": f"n{number}@example.org"}).status_code

        with ThreadPoolExecutor(4) as pool:
            assert sorted(pool.map(come, range(4))) == [303, 404, 404, 404]
        with fresh.store.reading() as session:
            assert session.scalar(select(func.count(UserRow.id))) == 1


@pytest.mark.parametrize(
    ("settings", "needs"),
    [({}, False), ({"host": "localhost"}, False), ({"host": "::1"}, False), ({"host": "0.0.0.0"}, True),
     ({"host": "192.0.2.1"}, True), ({"host": "::"}, True), ({"public_url": "https://moss.example.org"}, True),
     ({"public_url": "http://localhost:8000"}, False), ({"proxies": 1}, True)],
)  # fmt: skip
def test_who_must_know_the_code(settings, needs):
    assert needs_code(Config(**settings)) is needs


def test_strangers_cannot_set_up(tmp_path):
    with new_server(tmp_path, host="0.0.0.0", logins_per_quarter=3) as fresh:
        browser = fresh.client("nobody")
        code = setup_code(fresh.store)
        assert "Set-up code" in browser.get("/setup").text
        assert code not in browser.get("/setup").text
        for guess in ("", "AAAA-BBBB-CCCC"):
            answer = browser.post("/setup", FORM | {"code": guess})
            assert answer.status_code == 422
            assert "not the code" in answer.text
        assert f'value="{code}"' in browser.get(f"/setup?code={code}").text
        assert browser.post("/setup", FORM | {"code": code.lower()}).status_code == 303


def test_the_code_cannot_be_guessed_at_length(tmp_path):
    with new_server(tmp_path, host="0.0.0.0", logins_per_quarter=3) as fresh:
        browser = fresh.client("nobody")
        codes = [browser.post("/setup", FORM | {"code": "wrong"}).status_code for _ in range(4)]
        assert codes == [422, 422, 422, 429]
        assert browser.post("/setup", FORM | {"code": setup_code(fresh.store)}).status_code == 429


# log in, log out


def test_a_log_in_that_is_used_does_not_end(server):
    give_password(server, "instructor")
    browser, _ = log_in_as(server, "instructor")
    assert "Set-Cookie" not in browser.get("/account").headers
    with server.store.session() as session:
        session.scalars(select(LoginRow)).one().seen -= timedelta(days=server.config.session_days - 1)
    sent = browser.get("/account").headers["Set-Cookie"]
    assert sent.startswith(f"moss={browser.flask.get_cookie('moss').value}; ")
    assert f"Max-Age={server.config.session_days * 24 * 60 * 60}" in sent


def test_who_sends_something_after_the_log_in_has_ended_is_led_back_to_where_it_was(server):
    give_password(server, "instructor")
    browser, _ = log_in_as(server, "instructor")
    token = browser.token()
    with server.store.session() as session:
        session.execute(delete(LoginRow))
    sent = {"data": {"form_token": token}, "headers": {"Accept": "application/json"}}
    told = browser.flask.post("/submissions/1", **sent)
    assert (told.status_code, told.json["error"]["message"]) == (401, ENDED)
    del sent["headers"]
    assert browser.flask.post("/courses/", **sent).location == "/login"
    assert ENDED in browser.get("/login").text
    answer = browser.flask.post("/runs/7/pairs/2/case?name=e", **sent)
    assert (answer.status_code, answer.location) == (303, "/login?then=/runs/7/pairs/2?name%3De")
    page = browser.get(answer.location).text
    assert ENDED in page
    assert 'name="then" value="/runs/7/pairs/2?name=e"' in page


ENDED = "You were no longer logged in, so nothing was changed. Log in, and do it again."


def test_logging_in_and_out(server):
    give_password(server, "instructor")
    browser, answer = log_in_as(server, "instructor", then="/account")
    assert (answer.status_code, answer.location) == (303, "/account")
    assert "ines@example.org" in browser.get("/account").text
    assert browser.get("/login?then=/account").location == "/account"
    old = browser.flask.get_cookie("moss").value
    assert browser.post("/logout").location == "/login"
    assert browser.get("/account").location == "/login?then=/account"
    browser.flask.set_cookie("moss", old)
    assert browser.get("/account").status_code == 302, "the old cookie is worth nothing"
    assert audited(server.store) == [("ines@example.org", "logged in"), ("ines@example.org", "logged out")]


def test_logging_out_needs_a_form_of_ours(server):
    browser = server.client()
    assert browser.flask.post("/logout").status_code == 400
    assert browser.get("/logout").status_code == 405
    assert browser.get("/account").status_code == 200


def test_logging_in_gives_a_new_cookie_and_forgets_who_was_here(server):
    give_password(server, "stranger")
    browser = server.client("instructor")
    old = browser.cookie
    browser.post("/login", {"email": PEOPLE["stranger"], "password": PASSWORD})
    assert "sven@example.org" in browser.get("/account").text
    other = server.client("nobody")
    other.flask.set_cookie("moss", old)
    assert other.get("/account").status_code == 302


@pytest.mark.parametrize("person", ["instructor", "assistant", "nobody"])
def test_a_wrong_password_is_refused_in_the_same_words(server, person):
    give_password(server, "instructor")
    email = PEOPLE.get(person, "nobody@example.org")
    answer = server.client("nobody").post("/login", {"email": email, "password": "wrong"})
    assert answer.status_code == 422
    assert "The email address or password is wrong" in answer.text
    assert f'value="{email}"' in answer.text
    assert audited(server.store) == [(PEOPLE.get(person, ""), "failed to log in")]


def test_the_disabled_cannot_log_in(server):
    give_password(server, "instructor")
    browser = server.client("instructor")
    with server.store.session() as session:
        session.get_one(UserRow, server.id_of("instructor")).disabled = True
    assert log_in_as(server, "instructor")[1].status_code == 422
    assert browser.get("/account").status_code == 302


@pytest.mark.parametrize(
    "then",
    ["https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "http:evil.example",
     "evil.example", "/\t/evil.example", "/\n/evil.example", "javascript:alert(1)", "", " //evil.example"],
)  # fmt: skip
def test_nobody_is_sent_elsewhere(server, then):
    give_password(server, "instructor")
    assert log_in_as(server, "instructor", then=then)[1].location == "/"


@given(st.text() | st.text("/\\:.@ \tab", min_size=1))
def test_a_path_stays_on_this_server(text):
    from urllib.parse import urljoin, urlsplit

    path = local_path(text)
    assert path.startswith("/")
    assert urlsplit(urljoin("https://moss.example.org/login", path)).netloc == "moss.example.org"
    assert not path.startswith(("//", "/\\"))


def tries(server, address, password="wrong", email=PEOPLE["instructor"]):
    """What the log-in page answers to somebody at a network address."""
    form = {"email": email, "password": password}
    return server.client("nobody").post("/login", form, environ_overrides={"REMOTE_ADDR": address})


def test_who_fails_often_locks_their_own_address_and_nobody_out(tmp_path, database_url):
    with make_server(tmp_path, database_url) as server:
        give_password(server, "instructor")
        assert [tries(server, "198.51.100.1").status_code for _ in range(11)] == [422] * 10 + [429]
        assert tries(server, "198.51.100.1", PASSWORD).status_code == 429
        assert tries(server, "203.0.113.5", PASSWORD).status_code == 303


def test_of_many_who_guess_at_once_no_attempt_goes_uncounted(tmp_path, database_url):
    """Each is counted, whichever transaction comes first: afterwards the address is locked."""
    with make_server(tmp_path, database_url, logins_per_quarter=10) as server:
        give_password(server, "instructor")
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: tries(server, "198.51.100.1").status_code, range(24)))
        assert set(answers) <= {422, 429}
        assert tries(server, "198.51.100.1", PASSWORD).status_code == 429


def test_guessing_at_one_account_from_many_addresses_becomes_slow_and_its_user_comes_in(
    tmp_path, database_url, monkeypatch
):
    clock = [now()]
    monkeypatch.setattr(credentials, "now", lambda: clock[-1])
    with make_server(tmp_path, database_url, logins_per_quarter=2) as server:
        give_password(server, "instructor")
        assert tries(server, "203.0.113.5", PASSWORD).status_code == 303
        assert {tries(server, f"192.0.2.{number}").status_code for number in range(6)} == {422}
        waits = []
        for number in range(6, 15):
            answer = tries(server, f"192.0.2.{number}", email=PEOPLE["instructor"].upper())
            assert (answer.status_code, "to this account" in answer.text) == (429, True)
            waits.append(int(answer.headers["Retry-After"]))
            clock.append(clock[-1] + timedelta(seconds=waits[-1]))  # the attacker waits as told
            assert tries(server, f"192.0.2.{number}").status_code == 422
        assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
        assert tries(server, "192.0.2.99", PASSWORD).status_code == 429, "the right password does not help either"
        assert tries(server, "203.0.113.5", PASSWORD).status_code == 303, "but where its user comes from it does"
        clock.append(clock[-1] + timedelta(minutes=1))
        assert tries(server, "192.0.2.98", PASSWORD).status_code == 303


def test_guessing_from_one_address_ends(server):
    give_password(server, "instructor")
    browser = server.client("nobody")
    answers = [browser.post("/login", {"email": f"n{number}@example.org", "password": "x"}) for number in range(11)]
    assert [answer.status_code for answer in answers] == [422] * 10 + [429]
    assert log_in_as(server, "instructor")[1].status_code == 429


def test_logging_in_is_no_failure(tmp_path):
    with make_server(tmp_path, logins_per_quarter=1) as server:
        give_password(server, "instructor")
        assert [log_in_as(server, "instructor")[1].status_code for _ in range(3)] == [303] * 3


@pytest.mark.parametrize(
    ("address", "counted"),
    [("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
     ("::ffff:192.0.2.7", "::ffff:192.0.2.7"), ("", ""), ("unix:", "unix:")],
)  # fmt: skip
def test_one_household_is_one_address(address, counted):
    assert network(address) == counted


def test_waiting_in_words():
    assert [wait_in_words(seconds) for seconds in (1, 59, 60, 61, 900)] == [
        "1 second", "59 seconds", "1 minute", "2 minutes", "15 minutes"
    ]  # fmt: skip


# the account


def test_the_name_is_changed(server):
    browser = server.client("assistant")
    assert browser.post("/account/name", {"name": ""}).status_code == 422
    assert browser.post("/account/name", {"name": "Anton  <b>"}).status_code == 303
    page = browser.get("/account").text
    assert "Your name has been changed." in page
    assert "Anton &lt;b&gt;" in page


def test_a_password_is_changed_by_who_knows_the_old_one(server):
    give_password(server, "instructor")
    here, there = server.client("instructor"), server.client("instructor")
    form = {"old": PASSWORD, "password": "another otter entirely", "again": "another otter entirely"}
    assert "That’s not your old password" in here.post("/account/password", form | {"old": "wrong"}).text
    assert "differ" in here.post("/account/password", form | {"again": "x"}).text
    assert there.get("/account").status_code == 200
    program = programs(server)
    assert program("GET", "/me").status == 200
    assert here.post("/account/password", form).status_code == 303
    assert program("GET", "/me").status == 401, "what the old password has opened is closed"
    assert here.get("/account").status_code == 200
    assert there.get("/account").status_code == 302
    assert log_in_as(server, "instructor")[1].status_code == 422
    assert log_in_as(server, "instructor", password="another otter entirely")[1].status_code == 303
    assert ("ines@example.org", "changed their password") in audited(server.store)


def test_an_old_password_cannot_be_guessed(tmp_path):
    with make_server(tmp_path, logins_per_quarter=2) as server:
        give_password(server, "instructor")
        browser = server.client("instructor")
        form = {"old": "wrong", "password": "another otter entirely", "again": "another otter entirely"}
        codes = [browser.post("/account/password", form).status_code for _ in range(3)]
        assert codes == [422, 422, 429]
        assert browser.post("/account/password", form | {"old": PASSWORD}).status_code == 429


def test_who_has_no_password_cannot_get_one_alone(server):
    browser = server.client("instructor")
    assert "ask an administrator for a link" in browser.get("/account").text
    form = {"old": "", "password": PASSWORD, "again": PASSWORD}
    assert browser.post("/account/password", form).status_code == 422


def test_browsers_are_listed_and_logged_out(server):
    here, there, elsewhere = (server.client("instructor") for _ in range(3))
    stranger = server.client("stranger")
    with server.store.session() as session:
        ids = list(session.scalars(select(LoginRow.id).order_by(LoginRow.id)))
        session.execute(update(LoginRow).values(agent="Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Firefox/130.0"))
    page = here.get("/account").text
    assert page.count("<strong>Firefox on Linux</strong>") == 3
    assert page.count("this browser") == 1
    assert here.post(f"/account/browsers/{ids[3]}").status_code == 404, "it is another's"
    assert here.post(f"/account/browsers/{ids[1]}").status_code == 303
    assert [browser.get("/account").status_code for browser in (here, there, elsewhere)] == [200, 302, 200]
    assert here.post("/account/browsers").status_code == 303
    assert [browser.get("/account").status_code for browser in (here, elsewhere, stranger)] == [200, 302, 200]


@pytest.mark.parametrize(
    ("agent", "words"),
    [("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126.0",
      "Edge on Windows"),
     ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1 Version/17.5 Safari/604.1",
      "Safari on iPhone"),
     ("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36", "Chrome on Android"),
     ("curl/8.5.0", "curl"), ("", "Unknown browser")],
)  # fmt: skip
def test_browsers_in_words(agent, words):
    assert browser_in_words(agent) == words


def test_a_token_lets_a_program_in_until_it_is_revoked(server):
    browser = server.client("instructor")
    assert browser.post("/account/tokens", {"token_name": "", "days": "30"}).status_code == 422
    assert browser.post("/account/tokens", {"token_name": "x", "days": "31"}).status_code == 422
    assert browser.post("/account/tokens", {"token_name": "grading", "days": "30"}).location == "/account#tokens"
    page = browser.get("/account").text
    secret = link_on(page)
    assert secret.startswith("moss_")
    assert secret not in browser.get("/account").text, "it is shown once"
    bearer = {"Authorization": f"Bearer {secret}"}
    program = server.app.test_client()
    assert program.get("/", headers=bearer).status_code == 200
    assert "last used" in browser.get("/account").text
    with server.store.reading() as session:
        token = session.scalars(select(ApiTokenRow)).one().id
    assert server.client("stranger").post(f"/account/tokens/{token}/revoke").status_code == 404
    assert browser.post(f"/account/tokens/{token}/revoke").status_code == 303
    assert program.get("/", headers=bearer).status_code == 302
    assert [action for _, action in audited(server.store)] == ["created a token", "revoked a token"]


def test_a_program_that_reads_does_not_wait_for_whoever_writes(server):
    browser = server.client("instructor")
    browser.post("/account/tokens", {"token_name": "grading", "days": "30"})
    bearer = {"Authorization": f"Bearer {link_on(browser.get('/account').text)}"}
    program = server.app.test_client()
    assert program.get("/", headers=bearer).status_code == 200
    with server.store.session() as writing:
        writing.add(ServerValueRow(name="something", value="new"))
        writing.flush()
        assert program.get("/", headers=bearer).status_code == 200


def test_a_program_cannot_change_accounts(server):
    browser = server.client("administrator")
    browser.post("/account/tokens", {"token_name": "x", "days": "never"})
    bearer = {"Authorization": f"Bearer {link_on(browser.get('/account').text)}"}
    program = server.app.test_client()
    for path in ("/account/tokens", "/account/name", "/users"):
        assert program.post(path, headers=bearer, data={"token_name": "y", "days": "never"}).status_code == 403
