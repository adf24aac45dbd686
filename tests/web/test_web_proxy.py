"""Behind a reverse proxy: below a path every address is below it, and headers are believed only if configured."""

from __future__ import annotations

import re

import pytest
from support.server import make_server

from moss.store.tables import AuditEntryRow

BEHIND = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "example.org",
    "X-Forwarded-Prefix": "/moss",
}


@pytest.fixture
def behind(tmp_path):
    with make_server(tmp_path, proxies=1, public_url="https://example.org/moss") as made:
        made.add_course()
        yield made


def test_every_address_on_a_page_is_below_the_prefix(behind):
    page = behind.app.test_client().get("/login", headers=BEHIND).text
    addresses = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
    assert addresses
    assert not [address for address in addresses if not address.startswith("/moss/")]


def test_one_is_led_to_the_login_below_the_prefix(behind):
    answer = behind.app.test_client().get("/courses/", headers=BEHIND)
    assert answer.headers["Location"].startswith("/moss/login")


def test_cookies_insist_on_https_and_on_this_host(behind):
    answer = behind.app.test_client().get("/login", headers=BEHIND)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-moss=")
    for word in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/;"):
        assert word in cookie
    assert "max-age" in answer.headers["Strict-Transport-Security"]


def test_a_visitors_address_is_the_proxys_word_only_if_a_proxy_is_configured(tmp_path):
    for proxies, expected in ((1, "203.0.113.9"), (0, "127.0.0.1")):
        with make_server(tmp_path / str(proxies), proxies=proxies) as server:
            browser = server.client("administrator")
            browser.post("/courses/", {"name": "Seen"}, headers=BEHIND)
            with server.store.reading() as session:
                assert {entry.address for entry in session.query(AuditEntryRow)} == {expected}
