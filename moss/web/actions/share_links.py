"""Share links: addresses by which a report, or one pair, can be read without an account until they expire.

An address is signed, so nobody can make one up; whether it still holds is looked up each time it is opened.
"""

from __future__ import annotations

from datetime import timedelta

from flask import abort
from itsdangerous import BadSignature, URLSafeSerializer

from moss.messages import gettext as _
from moss.store.results.reports import pair_at
from moss.store.tables import RunRow, ShareLinkRow, now
from moss.web.request.context import audit, db, me, note_use, server


def make_link(run: RunRow, rank: int | None, label: str, days: int, *, anonymous: bool) -> ShareLinkRow:
    """Make a link to a run's report, or to one of its pairs, with names or without."""
    if rank is not None and pair_at(db(), run, rank) is None:
        abort(404)
    expires = now() + timedelta(days=days)
    link = ShareLinkRow(run_id=run.id, rank=rank, label=label, user_id=me().id, expires=expires, anonymous=anonymous)
    db().add(link)
    db().flush()
    audit("shared a report", course_id=run.assignment.course_id, run=run.id, link=link.id, days=days,
          names="no" if anonymous else "yes")  # fmt: skip
    return link


def revoke_link(link: ShareLinkRow) -> None:
    """Let a link lead nowhere from now on."""
    link.revoked = link.revoked or now()
    audit("revoked a link", link=link.id, run=link.run_id)


def token_of(link: ShareLinkRow) -> str:
    """The signed part of a link's address."""
    return str(_serializer().dumps([link.id, int(link.expires.timestamp())]))


def open_link(token: str) -> tuple[ShareLinkRow, RunRow]:
    """The link with this token, and its run; answers 404 or 410 if there is no such link or it no longer holds."""
    try:
        link_id, expires = _serializer().loads(token)
    except (BadSignature, ValueError, TypeError):
        abort(404)
    link = db().get(ShareLinkRow, link_id)
    if link is None or link.revoked or now() >= link.expires or int(link.expires.timestamp()) != expires:
        abort(410, _("This link has expired or was revoked. Ask the person who sent it for a new one."))
    note_use(ShareLinkRow.used, link)
    return link, db().get_one(RunRow, link.run_id)


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(server().secret, salt="share")
