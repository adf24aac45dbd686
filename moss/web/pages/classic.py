"""Results in the form of MOSS's pages, and the other addresses that its scripts and their users know."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, request
from flask.typing import ResponseReturnValue

from moss import submit
from moss.model import Problem, Report
from moss.report.classic.bitmaps import bitmap
from moss.report.classic.pages import ClassicAddress, classic_help, classic_page, pair_of
from moss.store.results.reports import load_report
from moss.store.scripts.drops import drop_at
from moss.store.scripts.programs import labels_in_order
from moss.store.tables import DropRow
from moss.web.actions.share_links import token_of
from moss.web.pages.assets import FOR_EVER
from moss.web.request.access import Right, access
from moss.web.request.context import db, server
from moss.web.request.links import outside

blueprint = Blueprint("classic", __name__)

HTML = "text/html; charset=UTF-8"  # programs that read these pages decode them by this

_POLICY = (
    "default-src 'none'; img-src 'self' {host}; frame-src 'self' {host}; frame-ancestors 'self' {host}; "
    "form-action 'none'; base-uri 'none'"
)


@blueprint.get("/results/<digit>/<number>/", strict_slashes=False)
@access(Right.ANYONE)
def index(digit: str, number: str) -> ResponseReturnValue:
    """The list of pairs, with or without a slash at the end of the address."""
    return _page(f"{digit}/{number}", "")


@blueprint.get("/results/<digit>/<number>/<name>")
@access(Right.ANYONE)
def match(digit: str, number: str, name: str) -> ResponseReturnValue:
    """A page of one pair."""
    return _page(f"{digit}/{number}", name)


@blueprint.get("/bitmaps/<name>")
@access(Right.ANYONE)
def picture(name: str) -> ResponseReturnValue:
    """A bar that shows a percentage."""
    content = bitmap(name)
    return Response(content, mimetype="image/gif", headers={"Cache-Control": FOR_EVER}) if content else abort(404)


@blueprint.get("/general/<name>")
@access(Right.ANYONE)
def general(name: str) -> ResponseReturnValue:
    """A page to which every list of pairs links."""
    content = classic_help(name, host())
    return _html(content) if content else abort(404)


@blueprint.get("/moss-submit")
@access(Right.ANYONE)
def script() -> ResponseReturnValue:
    """The submit script, with the address of this server filled in."""
    root = outside("classic.script").removesuffix("/moss-submit")
    response = Response(submit.for_server(_source(), root), content_type="text/x-python; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="moss-submit"'
    return response


@cache
def _source() -> str:
    return submit.source()


def host() -> str:
    """The beginning of the addresses that clients were given; links must begin in exactly the same way."""
    config = server().config
    return (config.wire_url or config.public_url or request.url_root).rstrip("/")


def _page(place: str, name: str) -> ResponseReturnValue:
    drop = drop_at(db(), place)
    if drop is None or drop.run.finished is None:
        abort(404)
    report = _report(drop, name)
    where = ClassicAddress(f"{host()}/results/{place}", host(), _modern(drop))
    content = classic_page(report, name, where)
    return _html(content) if content is not None else abort(404)


def _modern(drop: DropRow) -> str:
    """The address of the full report, by the drop's share link; the front page, if that link was revoked."""
    if drop.link is None or drop.link.revoked is not None:
        return outside("home.show")
    return outside("shares.overview", token=token_of(drop.link))


def _report(drop: DropRow, name: str) -> Report:
    """The report with only the texts and matches that one historical page shows."""
    if name == "":
        return _as_sent(drop, load_report(db(), drop.run, texts_of=()))
    bare = _as_sent(drop, load_report(db(), drop.run, texts_of=(), matches_of=()))
    pair = pair_of(bare, name)
    if pair is None:
        abort(404)
    number = {record.id: i for i, record in enumerate(bare.submissions, 1)}
    shown: Collection[int] = {number[pair.a], number[pair.b]}
    return _as_sent(drop, load_report(db(), drop.run, shown, {bare.pairs.index(pair) + 1}))


def _as_sent(drop: DropRow, report: Report) -> Report:
    """The report with the programs in the order in which they were sent, and the files that could not be read."""
    unread = (Problem(path, reason) for path, reason in drop.upload.problems)
    parameters = {**report.parameters, "paths": labels_in_order(db(), drop.run)}
    return replace(report, parameters=parameters, problems=(*report.problems, *unread))


def _html(content: bytes) -> Response:
    response = Response(content, content_type=HTML)
    scheme, name, *_ = urlsplit(host())
    response.headers["Content-Security-Policy"] = _POLICY.format(host=f"{scheme}://{name}")
    response.headers["X-Frame-Options"] = "SAMEORIGIN"  # for browsers that do not know the policy
    return response
