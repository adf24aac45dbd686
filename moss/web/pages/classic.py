"""Results in the form of MOSS's pages, and the other addresses that its scripts and their users know."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from operator import attrgetter
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, request
from flask.typing import ResponseReturnValue
from markupsafe import escape
from sqlalchemy import select

from moss import submit
from moss.model import Problem, Report
from moss.report.classic.bitmaps import bitmap
from moss.report.classic.figures import classic_order, only_row
from moss.report.classic.pages import INDEX, ClassicAddress, classic_help, classic_index, match_number, match_page
from moss.store.results.reports import load_pair, load_report
from moss.store.submissions.drops import drop_at, labels_in_order
from moss.store.tables import DropRow, PairRow
from moss.web.actions.reports import token_of
from moss.web.pages.assets import FOR_EVER
from moss.web.pages.reports import kept_page
from moss.web.request.access import Right, access
from moss.web.request.addresses import outside
from moss.web.request.context import db, server

blueprint = Blueprint("classic", __name__)

HTML = "text/html; charset=UTF-8"  # programs that read these pages decode them by this

_MARKS = ClassicAddress("\1base\1", "\1host\1", "\1report\1")
"""Stand for addresses in a stored page; no text can forge them, because none keeps its control characters."""

_ADDRESSES = attrgetter("base", "host", "report")

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
    where = ClassicAddress(f"{host()}/results/{place}", host(), _modern(drop))
    return _html(_index(drop, where) if name == INDEX else _match(drop, name, where))


def _index(drop: DropRow, where: ClassicAddress) -> bytes:
    """The list of pairs, made once; addresses are filled in each time, because they may differ between requests."""
    page = kept_page(drop.run, "classic/index", lambda: classic_index(_report(drop), _MARKS).decode()).text
    for mark, address in zip(_ADDRESSES(_MARKS), _ADDRESSES(where), strict=True):
        page = page.replace(mark, str(escape(address)))
    return page.encode()


def _match(drop: DropRow, name: str, where: ClassicAddress) -> bytes:
    """A page of one pair, for which nothing of the others is loaded but their order."""
    number = match_number(name)
    if number is None:
        abort(404)
    ranks = json.loads(kept_page(drop.run, "classic/order", lambda: json.dumps(_ranks_in_order(drop))).text)
    report = load_pair(db(), drop.run, ranks[number]) if number < len(ranks) else None
    return match_page(name, only_row(report, number), where) if report else abort(404)


def _ranks_in_order(drop: DropRow) -> list[int]:
    """The ranks of the report's pairs, in the classic order."""
    ranks = db().scalars(select(PairRow.rank).filter_by(run_id=drop.run_id).order_by(PairRow.rank)).all()
    return [ranks[at] for at in classic_order(_report(drop, ()))]


def _modern(drop: DropRow) -> str:
    """The address of the full report, by the drop's share link; the front page, if that link was revoked."""
    if drop.link is None or drop.link.revoked is not None:
        return outside("home.show")
    return outside("shares.overview", token=token_of(drop.link))


def _report(drop: DropRow, matches_of: Collection[int] | None = None) -> Report:
    """The report without texts, with the programs in the order in which they were sent, and the files that could not be
    read."""
    report = load_report(db(), drop.run, texts_of=(), matches_of=matches_of, ranking_of=())
    unread = (Problem(path, reason) for path, reason in drop.upload.problems)
    parameters = {**report.parameters, "paths": labels_in_order(db(), drop.run)}
    return replace(report, parameters=parameters, problems=(*report.problems, *unread))


def _html(content: bytes) -> Response:
    response = Response(content, content_type=HTML)
    scheme, name, *_ = urlsplit(host())
    response.headers["Content-Security-Policy"] = _POLICY.format(host=f"{scheme}://{name}")
    response.headers["X-Frame-Options"] = "SAMEORIGIN"  # for browsers that do not know the policy
    return response
