"""Share links: they show what they should, to whoever has them, while they hold, and nothing else."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from sqlalchemy import select
from support.decisions import CONFIRMED
from support.tokens import programs

from moss.store.tables import PairRow, RunEntryRow, ServerValueRow, ShareLinkRow, now


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
    assert nobody.get(f"{link}clusters/1").status_code == 200
    assert nobody.get(f"{link}clusters/99").status_code == 404
    with nobody.get(f"{link}assets/moss.css") as style:
        assert style.status_code == 200


def test_guests_do_not_wait_for_whoever_writes(reported, link):
    nobody = reported.client("nobody")
    assert nobody.get(link).status_code == 200
    with reported.store.session() as writing:
        writing.add(ServerValueRow(name="something", value="new"))
        writing.flush()
        assert nobody.get(f"{link}pairs/1").status_code == 200


def test_nothing_can_be_decided_or_seen_beyond_the_report(reported, link):
    reported.client().post("/runs/1/pairs/1/case", CONFIRMED | {"note": "secret thoughts"})
    nobody = reported.client("nobody")
    for path in (link, f"{link}pairs/1", f"{link}clusters/1"):
        page = nobody.get(path).text
        assert "secret thoughts" not in page
        assert "<form" not in page
        assert 'data-state="confirmed"' not in page
        assert "1:confirmed" not in page
    for path in ("/runs/1/", "/runs/1/clusters/1"):
        assert 'data-states="1:confirmed ' in reported.client().get(path).text
    assert 'data-state="confirmed"' in reported.client().get("/runs/1/clusters/1").text
    assert nobody.get("/runs/1/").status_code == 302
    assert nobody.post(f"{link}pairs/1").status_code == 405


@pytest.fixture
def third(reported):
    """The labels of all submissions, where somebody else has a passage of pair 2 as well."""
    with reported.store.session() as session:
        labels = session.scalars(select(RunEntryRow.label).filter_by(run_id=1)).all()
        pair = session.scalars(select(PairRow).filter_by(run_id=1, rank=2)).one()
        sides = session.scalars(
            select(RunEntryRow.label).where(RunEntryRow.run_id == 1, RunEntryRow.number.in_((pair.a, pair.b)))
        ).all()
        others = sorted(set(labels) - set(sides))
        for match in pair.matches:
            match.others, match.rarity = others[:3], 3
    return list(sides), others


def addresses_on(page: str) -> set[str]:
    """Where a page leads, besides into itself and to files that it needs."""
    found = {unescape(address).partition("#")[0] for address in re.findall(r'(?:href|action)="([^"]*)"', page)}
    return {address for address in found if address and not re.match(r"(/assets/|assets/)", address)}


def test_a_link_to_one_pair_shows_that_pair_and_nothing_else(reported, third):
    sides, others = third
    link = make(reported, rank="2")
    nobody = reported.client("nobody")
    page = nobody.get(link)
    assert page.status_code == 200
    assert addresses_on(page.text) <= {"./"}, "every link that it has works, and leads here"
    for name in others:
        assert not re.search(rf"\b{re.escape(name)}\b", page.text), name
    assert all(name in page.text for name in sides)
    assert f"5 of {len(sides) + len(others)} submissions have it" in page.text, "others are counted"
    assert not re.search(r"pair \d+ of \d+|All pairs|Next pair|Who else", page.text)
    assert nobody.get(f"{link}pairs/2").location == link
    for other in ("pairs/1", "pairs/3", "submissions/1", "submissions/2", "clusters/1", "shares"):
        assert nobody.get(f"{link}{other}").status_code == 404
    assert "Who else" in reported.client().get("/runs/1/pairs/2").text, "members still see who they are"


def test_a_link_without_names_shows_none(reported, third):
    sides, others = third
    link = make(reported, rank="2", anonymous="yes")
    answer = reported.client("nobody").get(link)
    assert answer.status_code == 200
    assert addresses_on(answer.text) == set()
    for name in (*sides, *others):
        assert not re.search(rf"\b{re.escape(name)}\b", answer.text, re.IGNORECASE), name
    assert "student1" in answer.text
    assert "Decision" not in answer.text
    assert "unsafe-inline" in answer.headers["Content-Security-Policy"]
    assert re.search(r"style-src &#39;sha256-|style-src 'sha256-", answer.text), "the page allows its own style alone"
    again = reported.client("nobody").get(link)
    assert again.text == answer.text
    for other in ("pairs/1", "submissions/1"):
        assert reported.client("nobody").get(f"{link}{other}").status_code == 404


def test_a_program_can_ask_for_a_link_without_names(reported):
    ask = programs(reported)
    assert ask("POST", "/runs/1/shares", 201, json={"anonymous": True}).data["anonymous"] is True
    assert ask("POST", "/runs/1/shares", 201, json={"anonymous": True, "rank": 1}).data["anonymous"] is True


def test_a_revoked_link_leads_nowhere(reported, link):
    assert reported.client("assistant").post("/links/1/revoke").status_code == 403
    assert reported.client("stranger").post("/links/1/revoke").status_code == 404
    assert reported.client().post("/links/1/revoke").status_code == 302
    assert reported.client("nobody").get(link).status_code == 410


def test_an_expired_link_leads_nowhere(reported, link):
    with reported.store.session() as session:
        session.get_one(ShareLinkRow, 1).expires = now() - timedelta(seconds=1)
    assert reported.client("nobody").get(link).status_code == 410


def test_a_link_cannot_be_made_up_or_prolonged(reported, link):
    nobody = reported.client("nobody")
    token = link.split("/")[2]
    what, signature = token.split(".")
    other = ("A" if signature[0] != "A" else "B") + signature[1:]  # the last letter has bits that mean nothing
    for forged in ("x", token[:-1], f"{what}.{other}", token.replace(".", "..")):
        assert nobody.get(f"/shared/{forged}/").status_code == 404
    with reported.store.session() as session:
        session.get_one(ShareLinkRow, 1).expires += timedelta(days=1)
    assert nobody.get(link).status_code == 410  # it says another day than the one that was signed


@pytest.mark.parametrize("days", ["0", "366", "-1"])
def test_a_link_holds_for_a_year_at_most(reported, days):
    assert reported.client().post("/runs/1/shares", {"days": days}).status_code == 422
    with reported.store.reading() as session:
        assert session.query(ShareLinkRow).count() == 0
