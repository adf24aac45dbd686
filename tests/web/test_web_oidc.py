"""Logging in by OpenID Connect, with a real provider on loopback."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from joserfc.jwk import RSAKey
from support.accounts import audited, user_with
from support.provider import forging, real_provider
from support.server import PEOPLE, make_server

pytestmark = pytest.mark.filterwarnings("ignore:get_jwt_config:DeprecationWarning")  # of the provider's own making

NAME = "Example University"
ADA = {"email": "ada@uni.example.org", "email_verified": True, "name": "Ada Lovelace"}


@pytest.fixture(autouse=True)
def quiet(caplog):
    """The provider tells of every request."""
    caplog.set_level(logging.ERROR)


@pytest.fixture(scope="module")
def provider():
    """The provider's address."""
    with real_provider() as address:
        yield address


@contextmanager
def serving(folder, issuer, **settings):
    """A server that trusts a provider."""
    named = {"oidc_issuer": issuer, "oidc_client_id": "moss", "oidc_client_secret": "secret", "oidc_name": NAME}
    with make_server(folder, **named | settings) as server:
        yield server


@pytest.fixture
def server(tmp_path, provider):
    with serving(tmp_path, provider) as made:
        yield made


def tell(provider, subject, claims):
    """Let the provider know somebody."""
    requests.put(f"{provider}/users/{subject}", json=claims, timeout=30).raise_for_status()


def sent(browser, then="/account"):
    """Where the browser is sent to log in."""
    answer = browser.get(f"/login/provider?then={then}")
    assert answer.status_code == 302, answer.text
    return answer.location


def come_back(location, **form):
    """The path with which the provider sends the browser back, after somebody logged in there."""
    answer = requests.post(location, data=form, allow_redirects=False, timeout=30)
    assert answer.status_code == 302, answer.text
    back = urlsplit(answer.headers["Location"])
    return f"{back.path}?{back.query}"


def log_in(server, subject, then="/account"):
    """What our server answers to a browser in which somebody logged in at the provider."""
    browser = server.client("nobody")
    return browser, browser.get(come_back(sent(browser, then), sub=subject))


def test_the_log_in_page_offers_the_provider(server, tmp_path):
    page = server.client("nobody").get("/login?then=/account").text
    assert f"Log in with {NAME}" in page
    assert 'href="/login/provider?then=/account"' in page


def test_without_a_provider_there_is_no_such_page(tmp_path):
    with make_server(tmp_path) as server:
        assert "/login/provider" not in server.client("nobody").get("/login").text
        assert server.client("nobody").get("/login/provider").status_code == 404
        assert server.client("nobody").get("/login/provider/back").status_code == 404


def test_what_is_asked_of_the_provider(server, provider):
    asked = urlsplit(sent(server.client("nobody")))
    parameters = {name: values[0] for name, values in parse_qs(asked.query).items()}
    assert f"{asked.scheme}://{asked.netloc}" == provider
    assert parameters["response_type"] == "code"
    assert parameters["code_challenge_method"] == "S256"
    assert parameters["redirect_uri"] == "http://localhost/login/provider/back"
    assert {"openid", "email"} <= set(parameters["scope"].split())
    assert all(len(parameters[name]) >= 20 for name in ("state", "nonce", "code_challenge"))


def test_a_known_address_logs_in_and_is_known_by_its_subject(server, provider):
    tell(provider, "ines", ADA | {"email": PEOPLE["instructor"].upper()})
    browser, answer = log_in(server, "ines")
    assert (answer.status_code, answer.location) == (303, "/account")
    assert "ines@example.org" in browser.get("/account").text
    assert user_with(server.store, PEOPLE["instructor"]).subject == f"{provider} ines"
    tell(provider, "ines", {"email": "new@uni.example.org", "email_verified": False})
    browser, answer = log_in(server, "ines")
    assert "ines@example.org" in browser.get("/account").text
    assert audited(server.store) == [("ines@example.org", "logged in")] * 2


def test_an_address_that_is_not_verified_opens_no_account(server, provider):
    for verified in (False, None):
        tell(provider, "mallory", ADA | {"email": PEOPLE["administrator"], "email_verified": verified})
        browser, answer = log_in(server, "mallory")
        assert answer.status_code == 403
        assert "hasn’t verified that ada@example.org is your address" in answer.text
        assert browser.get("/account").status_code == 302


def test_another_subject_with_the_same_address_is_refused(server, provider):
    for subject, code in (("first", 303), ("second", 403)):
        tell(provider, subject, ADA | {"email": PEOPLE["assistant"]})
        assert log_in(server, subject)[1].status_code == code


def test_the_unknown_are_told_whom_to_ask(server, provider):
    tell(provider, "nobody", ADA)
    _, answer = log_in(server, "nobody")
    assert answer.status_code == 403
    assert "There’s no account for ada@uni.example.org here" in answer.text
    assert user_with(server.store, ADA["email"]) is None


def test_the_unknown_get_accounts_if_the_operator_wants(tmp_path, provider):
    tell(provider, "created", ADA)
    with serving(tmp_path, provider, oidc_create=True) as server:
        _, answer = log_in(server, "created")
        assert answer.status_code == 303
        ada = user_with(server.store, ADA["email"])
        assert (ada.name, ada.administrator, ada.password) == ("Ada Lovelace", False, None)
        assert [action for _, action in audited(server.store)] == ["got an account", "logged in"]


def test_the_invited_come_in_without_a_password(server, provider):
    course = server.add_course()
    server.client("instructor").post(f"/courses/{course}/members", {"email": ADA["email"], "role": "assistant"})
    tell(provider, "invited", ADA)
    browser, answer = log_in(server, "invited")
    assert answer.status_code == 303
    assert browser.get(f"/courses/{course}/members").status_code == 200


def test_the_disabled_are_refused(server, provider):
    tell(provider, "disabled", ADA | {"email": PEOPLE["stranger"]})
    assert log_in(server, "disabled")[1].status_code == 303
    server.client("administrator").post(f"/users/{server.id_of('stranger')}/disable")
    _, answer = log_in(server, "disabled")
    assert answer.status_code == 403
    assert "is disabled" in answer.text


def test_who_refuses_at_the_provider_is_back_at_the_log_in_page(server):
    browser = server.client("nobody")
    answer = browser.get(come_back(sent(browser), action="deny"))
    assert answer.status_code == 502
    assert f"Logging in with {NAME} failed: it did not let you in." in answer.text


def test_an_answer_to_another_browser_is_refused(server, provider):
    tell(provider, "ines", ADA | {"email": PEOPLE["instructor"]})
    back = come_back(sent(server.client("nobody")), sub="ines")
    victim = server.client("nobody")
    assert victim.get(back).status_code == 502
    sent(victim)
    assert victim.get(back).status_code == 502
    assert victim.get("/account").status_code == 302


@pytest.mark.parametrize("query", ["", "?code=x", "?code=x&state=y", "?error=server_error", "?error=%3Cb%3E"])
def test_nonsense_is_refused_in_one_sentence(server, query):
    answer = server.client("nobody").get(f"/login/provider/back{query}")
    assert answer.status_code == 502
    assert "<b>" not in answer.text


def test_a_code_works_once(server, provider):
    tell(provider, "ines", ADA | {"email": PEOPLE["instructor"]})
    browser = server.client("nobody")
    back = come_back(sent(browser), sub="ines")
    assert browser.get(back).status_code == 303
    assert browser.get(back).status_code == 502


def test_a_provider_that_is_away_is_said_so(tmp_path):
    with serving(tmp_path, "http://127.0.0.1:9") as server:
        answer = server.client("nobody").get("/login/provider")
        assert answer.status_code == 502
        assert "it can’t be reached" in answer.text
        assert "Email address" in answer.text, "with a password one can still log in"


@pytest.fixture
def forger(tmp_path):
    """A provider that may lie, and the server that trusts it."""
    with forging() as made, serving(tmp_path, made.issuer) as server:
        made.server = server
        yield made


def lied_to(forger, **claims):
    """What our server answers when the provider vouches for the instructor, with these claims changed."""
    browser = forger.server.client("nobody")
    asked = parse_qs(urlsplit(sent(browser)).query)
    truth = {"nonce": asked["nonce"][0], "email": PEOPLE["instructor"], "email_verified": True}
    forger.claims = truth | claims
    return browser.get(f"/login/provider/back?code=x&state={asked['state'][0]}")


def test_a_provider_that_tells_the_truth_is_believed(forger):
    assert lied_to(forger).status_code == 303


@pytest.mark.parametrize(
    "claims",
    [{"iss": "https://other.example.org"}, {"aud": "another"}, {"aud": ["another"], "azp": "moss"},
     {"nonce": "another"}, {"nonce": None}, {"exp": 1}, {"sub": None}, {"aud": None}],
)  # fmt: skip
def test_a_token_that_is_not_for_us_and_now_is_refused(forger, claims):
    assert lied_to(forger, **claims).status_code == 502


def test_a_token_that_another_has_signed_is_refused(forger):
    forger.signs_with = RSAKey.generate_key(2048, parameters={"kid": "1"})
    assert lied_to(forger).status_code == 502


def test_a_provider_under_another_name_is_refused(forger):
    forger.calls_itself = "https://other.example.org"
    answer = forger.server.client("nobody").get("/login/provider")
    assert answer.status_code == 502
    assert "gives a wrong answer" in answer.text


def test_nobody_is_sent_elsewhere_afterwards(server, provider):
    tell(provider, "ines", ADA | {"email": PEOPLE["instructor"]})
    assert log_in(server, "ines", "//evil.example")[1].location == "/"
