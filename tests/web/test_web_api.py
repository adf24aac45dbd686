"""The API: the whole way by a token, the description true to the code, and nothing for those without rights."""

from __future__ import annotations

import io
import re
import zipfile

import pytest
from openapi_spec_validator import validate
from support.classes import SAMPLES
from support.tokens import programs

from moss.web.api import OPERATIONS, describe

ESSAYS = SAMPLES / "essays" / "submissions"


def essays_zip():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted(ESSAYS.rglob("*")):
            if path.is_file():
                archive.writestr(path.relative_to(ESSAYS).as_posix(), path.read_bytes())
    return file.getvalue()


def test_the_whole_way_by_a_token(server):
    ask = programs(server)
    course = ask("POST", "/courses", 201, json={"name": "Writing", "term": "2026"}).data["id"]
    assignment = ask("POST", f"/courses/{course}/assignments", 201, json={"name": "Essay"}).data["id"]
    upload = ask("POST", f"/assignments/{assignment}/uploads", 201).data["id"]
    content = essays_zip()
    for _ in range(2):  # as a program does that did not get the first answer
        where = {"path": "class.zip", "total": len(content)}
        assert ask("PUT", f"/uploads/{upload}/parts", 200, query_string=where, data=content).data["complete"]
    assert ask("POST", f"/uploads/{upload}/recognise", 202, json={}).data["state"] == "recognising"
    server.work()
    assert ask("GET", f"/uploads/{upload}", 200).data["state"] == "ready"
    drafts = ask("GET", f"/uploads/{upload}/submissions?limit=3", 200).data
    assert drafts["total"] > len(drafts["items"]) == 3
    changed = ask("PATCH", f"/submissions/{drafts['items'][0]['id']}", 200, json={"owner": "Somebody Else"}).data
    assert changed["owner"] == "Somebody Else"
    assert ask("POST", f"/uploads/{upload}/confirm", 200).data["added"] == drafts["total"]
    run = ask("POST", f"/assignments/{assignment}/runs", 202, json={"comment": "by a program", "show": 20}).data
    assert run["progress"]["state"] == "queued"
    server.work()
    assert ask("GET", f"/runs/{run['id']}", 200).data["finished"]
    pairs = ask("GET", f"/runs/{run['id']}/pairs", 200).data
    detail = ask("GET", f"/runs/{run['id']}/pairs/1", 200).data
    assert detail["matches"]
    assert detail["score"] == pairs["items"][0]["score"]
    mine = ask("GET", f"/submissions/{detail['a']['submission_id']}/matches", 200).data
    assert mine[0]["rank"] == 1
    decided = ask(
        "POST", f"/runs/{run['id']}/pairs/1/case", 200, json={"state": "confirmed", "note": "Same words."}
    ).data
    assert [event["kind"] for event in decided["events"]] == ["state", "note"]
    assert ask("GET", f"/runs/{run['id']}/pairs?state=confirmed", 200).data["total"] == 1
    assert ask("GET", f"/courses/{course}/cases?state=confirmed", 200).data[0]["id"] == decided["id"]
    assert "<html" in ask("GET", f"/runs/{run['id']}/pairs/1/evidence?anonymous=true", 200).text
    assert ask("GET", f"/runs/{run['id']}/report", 200).data["format"] == "moss-report"
    assert "Scanning" in ask("GET", f"/runs/{run['id']}/log", 200).text
    share = ask("POST", f"/runs/{run['id']}/shares", 201, json={"days": 3}).data
    assert server.app.test_client().get(share["address"]).status_code == 200
    ask("DELETE", f"/links/{share['id']}", 204)
    assert server.app.test_client().get(share["address"]).status_code == 410
    people = ask("GET", f"/courses/{course}/people", 200).data
    ask("DELETE", f"/people/{people[0]['id']}", 204)
    assert len(ask("GET", f"/courses/{course}/people", 200).data) == len(people) - 1
    ask("DELETE", f"/assignments/{assignment}", 204)
    ask("DELETE", f"/courses/{course}", 204)
    assert ask("GET", f"/courses/{course}").status == 404


def test_members_retention_and_export_by_a_token(reported):
    ask = programs(reported)
    assert [member["role"] for member in ask("GET", "/courses/1/members", 200).data] == ["instructor", "assistant"]
    invited = ask("POST", "/courses/1/invitations", 201, json={"email": "new@example.org", "role": "assistant"}).data
    assert reported.client("nobody").get(invited["address"]).status_code == 200
    assert ask("PATCH", "/courses/1", 200, json={"retention_days": 365}).data["retention_days"] == 365
    assert ask("GET", "/assignments/1", 200).data["deleted_on"]
    assert ask("PATCH", "/courses/1", 200, json={"retention_days": 0}).data["retention_days"] is None
    number = ask("POST", "/courses/1/exports", 202).data["number"]
    reported.work()
    assert ask("GET", "/courses/1/exports", 200).data[0]["state"] == "done"
    answer = reported.client().get(f"/api/v1/courses/1/exports/{number}")
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        assert archive.testzip() is None
        assert archive.namelist()


def test_without_credentials_the_answer_is_401_in_data(server):
    server.add_course()
    answer = server.app.test_client().get("/api/v1/courses")
    assert answer.status_code == 401
    assert answer.get_json()["error"]["message"]
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    wrong = server.app.test_client().get("/api/v1/courses", headers={"Authorization": "Bearer moss_wrong"})
    assert wrong.status_code == 401


@pytest.mark.parametrize("made", OPERATIONS, ids=lambda made: made.name)
def test_nobody_and_strangers_get_nothing(reported, made):
    path = re.sub(r"<int:\w+>", "1", made.path)
    ask = programs(reported, "stranger")
    assert ask(made.method, path, headers={}).status in (400, 401)  # a form without its token, or no credentials
    if made.right in ("read", "teach"):
        assert ask(made.method, path).status == 404


def test_the_description_is_valid_and_says_what_the_code_does(server):
    described = server.app.test_client().get("/api/v1/openapi.json").get_json()
    validate(described)
    listed = {(method, path) for path, methods in described["paths"].items() for method in methods}
    routed = {
        (method.lower(), re.sub(r"<int:(\w+)>", r"{\1}", rule.rule.removeprefix("/api/v1")))
        for rule in server.app.url_map.iter_rules()
        if rule.endpoint.startswith("api.") and rule.endpoint != "api.openapi"
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    assert listed == routed
    assert all(operation["summary"] for methods in described["paths"].values() for operation in methods.values())


@pytest.mark.parametrize(
    ("body", "field"),
    [({}, "name"), ({"name": ""}, "name"), ({"name": 5}, "name"), ({"name": "x", "color": "red"}, "color"),
     ({"name": "x", "retention_days": 0}, "retention_days")],
)  # fmt: skip
def test_a_wrong_body_is_refused_with_the_field_that_is_wrong(server, body, field):
    answer = programs(server)("POST", "/courses", 422, json=body)
    assert answer.data["error"]["fields"][0]["field"] == field


def test_a_body_that_is_no_json_is_refused(server):
    assert programs(server)("POST", "/courses", 422, data="{").data["error"]["message"]


def test_a_cookie_alone_changes_nothing(server):
    browser = server.client()
    assert browser.get("/api/v1/courses").status_code == 200
    assert browser.flask.post("/api/v1/courses", json={"name": "x"}).status_code == 400


def test_descriptions_are_made_once(server):
    assert describe() is describe()
