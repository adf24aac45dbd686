"""Corpora in the browser and by the API: offered, chosen, refused, and what is found in them read and decided."""

from __future__ import annotations

import json
import re

import pytest
from sqlalchemy import select
from support.decisions import CONFIRMED
from support.essays import ADDRESS, OLD, add_corpus, add_essays
from support.tokens import programs

from moss.store.tables import AssignmentRow, AuditEntryRow, CaseRow, RunRow


@pytest.fixture
def corpus(server, tmp_path, monkeypatch):
    """The server's corpus `essays`."""
    monkeypatch.chdir(tmp_path)
    return add_corpus(server)


@pytest.fixture
def assignment(server, corpus):
    """Essays of three, of which Ada's has the middle of an old one."""
    return add_essays(server)


def finished(server, assignment) -> int:
    answer = server.client().post(f"/assignments/{assignment}/runs", {"corpora": ["essays"]})
    assert answer.status_code == 303
    server.work()
    with server.store.reading() as session:
        run = session.scalars(select(RunRow).order_by(RunRow.id.desc())).first()
        assert run.finished is not None
        return run.id


def box(page: str) -> str:
    """The check box of the corpus."""
    return re.search(r'<input type="checkbox" name="corpora" value="essays"[^>]*>.*?</label>', page).group()


def test_the_form_offers_corpora_and_remembers_the_choice(server, assignment):
    address = f"/assignments/{assignment}/runs/new"
    offered = box(server.client().get(address).text)
    assert "20 documents, changed" in offered
    assert "checked" not in offered
    run = finished(server, assignment)
    with server.store.reading() as session:
        assert session.get_one(RunRow, run).corpora == ["essays"]
    assert "checked" in box(server.client().get(address).text)
    assert "checked" in box(server.client().get(f"/runs/{run}/what-if").text)


def test_a_server_without_corpora_says_nothing_of_them(server, assignment, corpus):
    corpus.parent.rename(corpus.parent.with_name("elsewhere"))
    assert "orpora" not in server.client().get(f"/assignments/{assignment}/runs/new").text


@pytest.mark.parametrize("name", ["nothing", "../essays", "", "../corpora/essays"])
def test_only_corpora_of_the_server_can_be_chosen(server, assignment, name):
    answer = server.client().post(f"/assignments/{assignment}/runs", {"corpora": [name]})
    assert answer.status_code == 422
    assert "One of the chosen corpora can’t be read, or you don’t have access to it." in answer.text
    run = programs(server)("POST", f"/assignments/{assignment}/runs", json={"corpora": [name]})
    assert run.status in (400, 422)


def test_a_corpus_that_cannot_be_read_is_shown_and_cannot_be_chosen(server, assignment, corpus):
    manifest = corpus / "corpus.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"version": 99}))
    client = server.client()
    shown = box(client.get(f"/assignments/{assignment}/runs/new").text)
    assert "disabled" in shown
    assert "it was made by another version of moss" in shown
    assert client.post(f"/assignments/{assignment}/runs", {"corpora": ["essays"]}).status_code == 422


def test_a_corpus_that_went_is_named(server, assignment, corpus):
    run = finished(server, assignment)
    corpus.rename(corpus.with_name("others"))
    for address in (f"/assignments/{assignment}/runs/new", f"/runs/{run}/what-if"):
        page = server.client().get(address).text
        assert "No longer available: <bdi>essays</bdi>" in page
        assert 'value="others"' in page
    assert server.client().get(f"/runs/{run}/pairs/1").status_code == 200


def test_what_is_found_can_be_read_decided_and_kept(server, assignment):
    run = finished(server, assignment)
    client = server.client()
    assert OLD in client.get(f"/runs/{run}/").text
    page = client.get(f"/runs/{run}/pairs/1").text
    assert "in the corpus <bdi>essays</bdi>, as <bdi>essays/077.txt</bdi>" in page
    assert "has been erased" not in page
    for address in ("evidence", "evidence?anonymous=yes", "evidence/names", "passages/1/elsewhere"):
        assert client.get(f"/runs/{run}/pairs/1/{address}").status_code == 200
    assert ADDRESS not in client.get(f"/runs/{run}/pairs/1/evidence?anonymous=yes").text
    for number in (1, 4):  # Ada's, and the old one
        assert client.get(f"/runs/{run}/submissions/{number}").status_code == 200
        assert client.get(f"/runs/{run}/submissions/{number}/elsewhere").status_code == 200
    client.post(f"/runs/{run}/pairs/1/case", CONFIRMED | {"note": "word for word"})
    later = finished(server, assignment)
    assert "word for word" in client.get(f"/runs/{later}/pairs/1").text
    with server.store.reading() as session:
        case = session.scalars(select(CaseRow)).one()
        people = {case.a.name: case.a_id, case.b.name: case.b_id}
    assert client.get(f"/cases/{case.id}/").status_code == 200
    assert "Ada" in client.get(f"/people/{people[ADDRESS]}/").text
    assert OLD in client.get(f"/runs/{later}/compared-with/{run}").text


def test_a_preview_with_and_without(server, assignment):
    run = finished(server, assignment)
    client = server.client()
    assert OLD in client.get(f"/runs/{run}/what-if/preview").text
    again = client.get(f"/runs/{run}/what-if/preview?corpora=essays").text
    assert OLD in again
    assert "no longer compared" not in again
    assert client.get(f"/runs/{run}/what-if/preview?corpora=nothing").status_code == 422


def test_the_api_lists_takes_and_shows_corpora(server, assignment):
    ask = programs(server)
    (corpus,) = ask("GET", "/corpora", 200).data
    assert (corpus["name"], corpus["documents"], corpus["problem"]) == ("essays", 20, "")
    run = ask("POST", f"/assignments/{assignment}/runs", 202, json={"corpora": ["essays"]}).data
    assert run["corpora"] == ["essays"]
    server.work()
    (pair,) = ask("GET", f"/runs/{run['id']}/pairs", 200).data["items"]
    sides = {pair[side]["label"]: pair[side]["corpus"] for side in "ab"}
    assert sides == {"Ada": "", OLD: "essays"}
    decided = ask("POST", f"/runs/{run['id']}/pairs/1/case", 200, json={"state": "dismissed"}).data
    assert decided["state"] == "dismissed"
    assert ask("GET", f"/runs/{run['id']}/pairs", 200).data["items"][0]["state"] == "dismissed"


def test_assistants_read_and_strangers_do_not(server, assignment):
    run = finished(server, assignment)
    assert server.client("assistant").get(f"/runs/{run}/pairs/1").status_code == 200
    assert (
        server.client("assistant").post(f"/assignments/{assignment}/runs", {"corpora": ["essays"]}).status_code == 403
    )
    assert server.client("stranger").get(f"/runs/{run}/pairs/1").status_code == 404
    assert server.app.test_client().get("/api/v1/corpora").status_code == 401


def test_an_assignment_can_be_kept_for_later_years(server, assignment):
    client = server.client()
    page = client.get(f"/assignments/{assignment}/").text
    assert "Keep for later years" in page
    assert "You have:" not in page, "nobody but administrators adds to a corpus of the operator's"
    kept = client.post(f"/assignments/{assignment}/keep", {"corpus": " years "})
    assert kept.status_code == 303
    server.work()
    assert "3 submissions of Essay added to the corpus years." in client.get("/notices").text
    assert "You have: <bdi>years</bdi>" in client.get(f"/assignments/{assignment}/").text
    names = [corpus["name"] for corpus in programs(server)("GET", "/corpora", 200).data]
    assert names == ["essays", "years"]
    with server.store.reading() as session:
        assert "kept an assignment" in session.scalars(select(AuditEntryRow.action)).all()


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "x" * 65, "é"])
def test_a_name_that_no_folder_may_have_is_refused(server, assignment, name):
    answer = server.client().post(f"/assignments/{assignment}/keep", {"corpus": name})
    assert answer.status_code == 422
    assert "The name of a corpus has letters and digits" in answer.text
    assert programs(server)("POST", f"/assignments/{assignment}/keep", json={"corpus": name}).status in (400, 422)
    assert server.waiting() == []


def test_what_cannot_be_kept_is_refused(server, assignment, corpus):
    with server.store.session() as session:
        empty = AssignmentRow(course_id=1, name="Empty")
        session.add(empty)
        session.flush()
        number = empty.id
    answer = server.client().post(f"/assignments/{number}/keep", {"corpus": "years"})
    assert "There is nothing to keep yet" in answer.text
    manifest = corpus / "corpus.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"version": 99}))
    answer = server.client().post(f"/assignments/{assignment}/keep", {"corpus": "essays"})
    assert answer.status_code == 422
    assert "The corpus essays can’t be used: it was made by another version of moss." in answer.text


def test_only_instructors_keep(server, assignment):
    assert server.client("assistant").post(f"/assignments/{assignment}/keep", {"corpus": "x"}).status_code == 403
    assert "Keep for later years" not in server.client("assistant").get(f"/assignments/{assignment}/").text
    assert server.client("stranger").post(f"/assignments/{assignment}/keep", {"corpus": "x"}).status_code == 404
    asked = programs(server)("POST", f"/assignments/{assignment}/keep", 202, json={"corpus": "years"})
    assert asked.data == {"corpus": "years"}
