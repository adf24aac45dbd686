"""The pages of share links: made and revoked by instructors, opened by readers without an account."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from moss.messages import gettext as _
from moss.report.masked_report import kept_name
from moss.report.packed_page import PackedPage, with_states
from moss.report.page_templates import PAIR_LIST
from moss.report.served import ALONE, OVERVIEW
from moss.store.tables import RunRow, ShareLinkRow, now
from moss.web.actions.reports import anonymous_page, make_link, open_link, revoke_link, token_of
from moss.web.pages.reports import masked_page, report_asset, stored_page
from moss.web.request.access import Right, access
from moss.web.request.addresses import number
from moss.web.request.answers import refusals, send_page
from moss.web.request.context import db

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
    """Make a link."""
    form = request.form
    days = form.get("days", "14")
    if days not in map(str, range(1, LONGEST + 1)):
        abort(422, _("A link can be valid for 1 to %(longest)s days. No link was created.", longest=LONGEST))
    rank = (
        form.get("rank", 0, type=number) if form.get("rank") else None
    )  # a rank that is no number becomes 0, which no pair has: never share more than was asked for
    anonymous = form.get("anonymous") == "yes"
    with refusals():
        link = make_link(run, rank, form.get("label", "")[:200], int(days), anonymous=anonymous)
    return redirect(url_for("shares.show", run=run.id) + f"#link-{link.id}")


@blueprint.post("/links/<int:link>/revoke")
@access(Right.TEACH)
def revoke(link: ShareLinkRow) -> ResponseReturnValue:
    """Revoke a link."""
    revoke_link(link)
    flash(_("The link has been revoked."), "done")
    return redirect(url_for("shares.show", run=link.run_id))


@blueprint.get("/shared/<token>/")
@access(Right.ANYONE)
def overview(token: str) -> ResponseReturnValue:
    """The overview of a shared report, or the one pair that is shared."""
    link, run = open_link(token)
    if link.anonymous and link.rank is not None:
        return _anonymous(run, link.rank)
    if link.rank is not None:
        return send_page(stored_page(run, f"{ALONE}/{link.rank}"), _slots(link))
    return send_page(with_states(_page(link, run, OVERVIEW), ()), _slots(link))


@blueprint.get(f"/shared/<token>/{PAIR_LIST}")
@access(Right.ANYONE)
def pair_list(token: str) -> ResponseReturnValue:
    """The data of the overview's lists, without states."""
    link, run = open_link(token)
    if link.rank is not None:
        abort(404)
    return send_page(_page(link, run, PAIR_LIST), {}, "text/javascript")


@blueprint.get("/shared/<token>/pairs/<int:rank>")
@access(Right.ANYONE)
def pair(token: str, rank: int) -> ResponseReturnValue:
    """Two submissions side by side."""
    link, run = open_link(token)
    if link.rank is not None:  # the form of older addresses of one pair
        return redirect(url_for("shares.overview", token=token)) if link.rank == rank else abort(404)
    return send_page(_page(link, run, f"pairs/{rank}"), _slots(link))


@blueprint.get("/shared/<token>/submissions/<int:number>")
@access(Right.ANYONE)
def submission(token: str, number: int) -> ResponseReturnValue:
    """One submission, with everybody it shares passages with."""
    link, run = open_link(token)
    if link.rank is not None:
        abort(404)
    return send_page(_page(link, run, f"submissions/{number}"), _slots(link))


@blueprint.get("/shared/<token>/clusters/<int:number>")
@access(Right.ANYONE)
def cluster(token: str, number: int) -> ResponseReturnValue:
    """One cluster, with its members and what they share."""
    link, run = open_link(token)
    if link.rank is not None:
        abort(404)
    return send_page(with_states(_page(link, run, f"clusters/{number}"), ()), _slots(link))


@blueprint.get("/shared/<token>/assets/<name>")
@access(Right.ANYONE)
def asset(token: str, name: str) -> ResponseReturnValue:
    """A style sheet or a script."""
    return report_asset(name)


def _page(link: ShareLinkRow, run: RunRow, name: str) -> PackedPage:
    return masked_page(run, name) if link.anonymous else stored_page(run, name)


def _anonymous(run: RunRow, rank: int) -> ResponseReturnValue:
    response = send_page(stored_page(run, kept_name(f"evidence/{rank}"), lambda: anonymous_page(run, rank)), {})
    response.headers["Content-Security-Policy"] = _STYLE_INSIDE
    return response


def _slots(link: ShareLinkRow) -> dict[str, str]:
    return {
        "head": render_template("web/_report_head.html"),
        "notice": render_template("web/_shared_notice.html", link=link),
    }
