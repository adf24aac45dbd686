"""Share links: a report, or one pair, for somebody without an account, to read only, until a day or until revoked.

The address is signed, so nobody can make one up; whether it still holds is looked up each time.
"""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, abort, flash, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import select

from moss.report.served import ALONE, OVERVIEW, fill_slots
from moss.store.results.cases import pair_at
from moss.store.tables import RunRow, ShareLinkRow, now
from moss.store.validation import RefusedError
from moss.web.pages.exhibits import anonymous_page
from moss.web.pages.reports import send_asset, stored_page
from moss.web.request.access import Right, access
from moss.web.request.context import audit, db, me, parts
from moss.web.request.numbers import number
from moss.web.request.script_answers import refusals
from moss.web.request.transactions import note_use

blueprint = Blueprint("shares", __name__)

LONGEST = 365  # days
_STYLE_INSIDE = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The policy for a page with its style inside, which itself allows that style alone, by its digest."""


@blueprint.get("/runs/<int:run>/shares")
@access(Right.TEACH)
def show(run: RunRow) -> ResponseReturnValue:
    """The links to a run's report."""
    links = db().scalars(select(ShareLinkRow).filter_by(run_id=run.id).order_by(ShareLinkRow.id.desc())).all()
    rank = request.args.get("rank", type=number)
    return render_template("web/shares.html", run=run, links=links, token=token_of, now=now(), rank=rank)


@blueprint.post("/runs/<int:run>/shares")
@access(Right.TEACH)
def create(run: RunRow) -> ResponseReturnValue:
    """A new link."""
    form = request.form
    days = form.get("days", "14")
    if days not in map(str, range(1, LONGEST + 1)):
        abort(422, f"A link may hold from 1 to {LONGEST} days.")
    rank = form.get("rank", 0, type=number) if form.get("rank") else None  # 0 is no pair: never more than was asked for
    anonymous = form.get("anonymous") == "yes"
    with refusals():
        link = make_link(run, rank, form.get("label", "")[:200], int(days), anonymous=anonymous)
    return redirect(url_for("shares.show", run=run.id) + f"#link-{link.id}")


def make_link(run: RunRow, rank: int | None, label: str, days: int, *, anonymous: bool) -> ShareLinkRow:
    """A link to a run's report, or to one of its pairs, with names or without."""
    if anonymous and rank is None:
        raise RefusedError("anonymous", "Only a link to one pair can be without names.")
    if rank is not None and pair_at(db(), run, rank) is None:
        abort(404)
    expires = now() + timedelta(days=days)
    link = ShareLinkRow(run_id=run.id, rank=rank, label=label, user_id=me().id, expires=expires, anonymous=anonymous)
    db().add(link)
    db().flush()
    audit("shared a report", course_id=run.assignment.course_id, run=run.id, link=link.id, days=days,
          names="no" if anonymous else "yes")  # fmt: skip
    return link


@blueprint.post("/links/<int:link>/revoke")
@access(Right.TEACH)
def revoke(link: ShareLinkRow) -> ResponseReturnValue:
    """The link leads nowhere from now on."""
    link.revoked = link.revoked or now()
    audit("revoked a link", link=link.id, run=link.run_id)
    flash("The link has been revoked.", "done")
    return redirect(url_for("shares.show", run=link.run_id))


@blueprint.get("/shared/<token>/")
@access(Right.ANYONE)
def overview(token: str) -> ResponseReturnValue:
    """The ranking, or the one pair that is shared, which then is all that there is."""
    link, run = _opened(token)
    if link.anonymous and link.rank is not None:
        return _anonymous(run, link.rank)
    if link.rank is not None:
        return fill_slots(stored_page(run, f"{ALONE}/{link.rank}"), _slots(link))
    return fill_slots(stored_page(run, OVERVIEW), _slots(link))


@blueprint.get("/shared/<token>/pairs/<int:rank>")
@access(Right.ANYONE)
def pair(token: str, rank: int) -> ResponseReturnValue:
    """Two submissions side by side."""
    link, run = _opened(token)
    if link.rank is not None:  # as addresses were that led to one pair before
        return redirect(url_for("shares.overview", token=token)) if link.rank == rank else abort(404)
    return fill_slots(stored_page(run, f"pairs/{rank}"), _slots(link))


@blueprint.get("/shared/<token>/submissions/<int:number>")
@access(Right.ANYONE)
def submission(token: str, number: int) -> ResponseReturnValue:
    """One submission, with all whom it resembles."""
    link, run = _opened(token)
    if link.rank is not None:
        abort(404)
    return fill_slots(stored_page(run, f"submissions/{number}"), _slots(link))


@blueprint.get("/shared/<token>/assets/<name>")
@access(Right.ANYONE)
def asset(token: str, name: str) -> ResponseReturnValue:
    """A style sheet or a script."""
    return send_asset(name)


def _anonymous(run: RunRow, rank: int) -> ResponseReturnValue:
    response = make_response(stored_page(run, f"anonymous/{rank}", lambda: anonymous_page(run, rank)))
    response.headers["Content-Security-Policy"] = _STYLE_INSIDE
    return response


def token_of(link: ShareLinkRow) -> str:
    """The signed part of a link's address."""
    return str(_serializer().dumps([link.id, int(link.expires.timestamp())]))


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(parts().secret, salt="share")


def _opened(token: str) -> tuple[ShareLinkRow, RunRow]:
    """The link and its run, if the link still holds."""
    try:
        link_id, expires = _serializer().loads(token)
    except (BadSignature, ValueError, TypeError):
        abort(404)
    link = db().get(ShareLinkRow, link_id)
    if link is None or link.revoked or now() >= link.expires or int(link.expires.timestamp()) != expires:
        abort(410, "This link has expired or was revoked. Ask whoever sent it for a new one.")
    note_use(ShareLinkRow.used, link)
    return link, db().get_one(RunRow, link.run_id)


def _slots(link: ShareLinkRow) -> dict[str, str]:
    return {
        "head": render_template("web/_report_head.html"),
        "notice": render_template("web/_shared_notice.html", link=link),
    }
