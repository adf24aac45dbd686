"""Notices that a run has ended: in the browser, and by mail or webhook if there are any.

The notice in the browser is stored together with the run's end. Each message to the outside is a job of its own, so
that one that cannot be sent is tried again without sending the others twice.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy.orm import Session

from moss.jobs.job_context import JobContext
from moss.jobs.ledger import add_job
from moss.jobs.mail import MailError, send_mail
from moss.jobs.webhooks import WebhookError, post_signed
from moss.messages import gettext as _
from moss.store.accounts.notices import add_notice, webhook_secret
from moss.store.results.runs import path_of
from moss.store.tables import CourseRow, JobRow, JobState, RunRow, UserRow

MAIL, WEBHOOK = "mail", "webhook"


class NotSentError(Exception):
    """A message could not be sent; another attempt may succeed."""


def after_run(session: Session, job: JobRow) -> None:
    """Tell whoever started a run how it ended; nobody is told if it was cancelled."""
    run = session.get(RunRow, job.payload["run"])
    if run is None or job.state is JobState.CANCELLED:
        return
    if job.user_id is not None:
        add_notice(session, job.user_id, _sentence(run, job.state, job.reason), path_of(run))
        _tell_by(session, MAIL, run, job)
    if run.assignment.course.webhook:
        _tell_by(session, WEBHOOK, run, job)


def _tell_by(session: Session, way: str, run: RunRow, job: JobRow) -> None:
    payload = {"by": way, "run": run.id, "state": job.state.value, "reason": job.reason}
    add_job(session, "notify", payload, course_id=job.course_id, user_id=job.user_id)


def _sentence(run: RunRow, state: str, reason: str) -> str:
    named = {"n": run.number, "assignment": run.assignment.name, "course": run.assignment.course.title}
    if state == JobState.DONE:
        return _("Run %(n)s of %(assignment)s (%(course)s) is finished.", **named)
    return _("Run %(n)s of %(assignment)s (%(course)s) failed. %(reason)s", **named, reason=reason)


def notify(work: JobContext) -> None:
    """Send one message."""
    with work.store.session() as session:
        send = _SENDERS[work.payload["by"]](work, session)
    try:
        send()
    except (MailError, WebhookError) as error:
        raise NotSentError(str(error)) from None
    with work.finishing():
        pass


def _mail(work: JobContext, session: Session) -> Callable[[], None]:
    """Returns a function that sends the mail, which does nothing if there is no mail server or nobody to tell."""
    run, user = session.get(RunRow, work.payload["run"]), session.get(UserRow, work.user_id or 0)
    if not work.config.mail_url or run is None or user is None or user.disabled:
        return lambda: None
    said = _sentence(run, work.payload["state"], work.payload["reason"])
    text = f"{said}\n\n{work.config.base_url}{path_of(run)}\n"
    name, address = user.name, user.email
    return lambda: send_mail(work.config, name, address, said.partition(". ")[0].rstrip("."), text)


def _webhook(work: JobContext, session: Session) -> Callable[[], None]:
    """Returns a function that calls the webhook, which does nothing if the course no longer has one."""
    run, course = session.get(RunRow, work.payload["run"]), session.get(CourseRow, work.course_id or 0)
    if run is None or course is None or not course.webhook:
        return lambda: None
    message = {
        "event": "run.finished" if work.payload["state"] == JobState.DONE else "run.failed",
        "delivery": work.job_id,
        "text": _sentence(run, work.payload["state"], work.payload["reason"]),
        "run": {"id": run.id, "number": run.number, "url": f"{work.config.base_url}{path_of(run)}"},
        "assignment": {"id": run.assignment.id, "name": run.assignment.name},
        "course": {"id": course.id, "name": course.title},
        "reason": work.payload["reason"],
    }
    url, secret = course.webhook, webhook_secret(session, course.id)
    return lambda: post_signed(url, message, secret, private=work.config.webhooks_private)


_SENDERS = {MAIL: _mail, WEBHOOK: _webhook}


def after_notify(session: Session, job: JobRow) -> None:
    """Tell the user, in the browser, that a message could not be sent."""
    if job.state is JobState.FAILED and job.user_id is not None:
        by_mail = job.payload["by"] == MAIL
        words = _("The mail about a run could not be sent.") if by_mail else _("The webhook about a run failed.")
        add_notice(session, job.user_id, f"{words} {job.reason}", f"/runs/{job.payload['run']}/")
