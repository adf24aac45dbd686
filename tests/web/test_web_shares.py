"""Share links: they show what they should, to whoever has them, while they hold, and nothing else."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from moss.store.tables import Secret, ShareLink, now


@pytest.fixture
def link(reported):
    """The path of a new link to the whole report."""
    return make(reported)


def make(server, **form):
    instructor = server.client()
    instructor.post("/runs/1/shares", {"days": "7", "label": "the board"} | form)
    page = instructor.get("/runs/1/shares").text
    return re.findall(r'value="http://[^/]+(/shared/[^"]+)"', page)[0]


def test_whoever_has_the_link_reads_the_report(reported, link):
    nobody = reported.client("nobody")
    page = nobody.get(link)
    assert page.status_code == 200
    assert "the board" in page.text
    assert nobody.get(f"{link}pairs/1").status_code == 200
    with nobody.get(f"{link}assets/report.css") as style:
        assert style.status_code == 200


def test_guests_do_not_wait_for_whoever_writes(reported, link):
    nobody = reported.client("nobody")
    assert nobody.get(link).status_code == 200
    with reported.store.session() as writing:
        writing.add(Secret(name="something", value="new"))
        writing.flush()
        assert nobody.get(f"{link}pairs/1").status_code == 200


def test_nothing_can_be_decided_or_seen_beyond_the_report(reported, link):
    reported.client().post("/runs/1/pairs/1/case", {"state": "confirmed", "note": "secret thoughts"})
    nobody = reported.client("nobody")
    for path in (link, f"{link}pairs/1"):
        page = nobody.get(path).text
        assert "secret thoughts" not in page
        assert "<form" not in page
        assert 'data-state="confirmed"' not in page
    assert nobody.get("/runs/1/").status_code == 302
    assert nobody.post(f"{link}pairs/1").status_code == 405


def test_a_link_to_one_pair_shows_that_pair_alone(reported):
    link = make(reported, rank="2")
    nobody = reported.client("nobody")
    assert nobody.get(link).headers["Location"].endswith("pairs/2")
    assert nobody.get(f"{link}pairs/2").status_code == 200
    assert nobody.get(f"{link}pairs/1").status_code == 404
    assert nobody.get(f"{link}submissions/1").status_code == 404


def test_a_revoked_link_leads_nowhere(reported, link):
    assert reported.client("assistant").post("/links/1/revoke").status_code == 403
    assert reported.client("stranger").post("/links/1/revoke").status_code == 404
    assert reported.client().post("/links/1/revoke").status_code == 302
    assert reported.client("nobody").get(link).status_code == 410


def test_an_expired_link_leads_nowhere(reported, link):
    with reported.store.session() as session:
        session.get_one(ShareLink, 1).expires = now() - timedelta(seconds=1)
    assert reported.client("nobody").get(link).status_code == 410


def test_a_link_cannot_be_made_up_or_prolonged(reported, link):
    nobody = reported.client("nobody")
    token = link.split("/")[2]
    what, signature = token.split(".")
    other = ("A" if signature[0] != "A" else "B") + signature[1:]  # the last letter has bits that mean nothing
    for forged in ("x", token[:-1], f"{what}.{other}", token.replace(".", "..")):
        assert nobody.get(f"/shared/{forged}/").status_code == 404
    with reported.store.session() as session:
        session.get_one(ShareLink, 1).expires += timedelta(days=1)
    assert nobody.get(link).status_code == 410  # it says another day than the one that was signed


@pytest.mark.parametrize("days", ["0", "366", "-1"])
def test_a_link_holds_for_a_year_at_most(reported, days):
    assert reported.client().post("/runs/1/shares", {"days": days}).status_code == 422
    with reported.store.reading() as session:
        assert session.query(ShareLink).count() == 0
