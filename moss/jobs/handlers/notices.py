"""Notices that a run has ended: in the browser, and by mail or webhook if there are any.

The notice in the browser is stored together with the run's end. Each message to the outside is a job of its own, so
that one that cannot be sent is tried again without sending the others twice. Mail goes through the mail server that the
settings name.
"""

from __future__ import annotations

import ipaddress
import smtplib
import ssl
from collections.abc import Callable
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import SplitResult, unquote, urlsplit

from sqlalchemy.orm import Session

from moss.config import Config
from moss.jobs.job_context import JobContext
from moss.jobs.ledger import add_job
from moss.jobs.webhooks import WebhookError, post_signed
from moss.messages import gettext as _
from moss.store.accounts.notices import add_notice
from moss.store.courses.webhooks import webhook_secret
from moss.store.results.runs import path_of
from moss.store.tables import CourseRow, JobRow, JobState, RunRow, UserRow

MAIL, WEBHOOK = "mail", "webhook"
_MAIL_PATIENCE = 20  # seconds for each step


class NotSentError(Exception):
    """A message could not be sent; another attempt may succeed."""


def after_run(session: Session, job: JobRow) -> None:
    """Tell the user who started a run how it ended, unless it was cancelled."""
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


class MailError(Exception):
    """A mail that could not be sent; the message says why, in words that end a sentence."""


def send_mail(config: Config, name: str, address: str, subject: str, text: str) -> None:
    """Send a mail; raises MailError."""
    message = _message(config, name, address, subject, text)
    server = urlsplit(config.mail_url)
    try:
        with _mail_server(server) as connection:
            _log_in(connection, server)
            connection.send_message(message)
    except (OSError, smtplib.SMTPException, ssl.SSLError) as error:
        words = " ".join(str(error).split())
        raise MailError(f"the mail server {server.hostname} says: {words}") from None


def _message(config: Config, name: str, address: str, subject: str, text: str) -> EmailMessage:
    message = EmailMessage()
    user, _, domain = address.rpartition("@")
    message["From"] = config.mail_from
    message["To"] = Address(" ".join(name.split()), user, domain)
    message["Subject"] = " ".join(subject.split())
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=config.mail_from.rpartition("@")[2].strip("> ") or None)
    message["Auto-Submitted"] = "auto-generated"  # so that no automatic reply comes back
    message.set_content(text)
    return message


def _mail_server(server: SplitResult) -> smtplib.SMTP:
    """A connection to the mail server, encrypted if the server supports it."""
    host = server.hostname or "localhost"
    context = _context(host)
    if server.scheme == "smtps":
        return smtplib.SMTP_SSL(host, server.port or 465, timeout=_MAIL_PATIENCE, context=context)
    connection = smtplib.SMTP(host, server.port or 25, timeout=_MAIL_PATIENCE)
    connection.ehlo_or_helo_if_needed()
    if connection.has_extn("starttls"):
        connection.starttls(context=context)
        connection.ehlo()
    return connection


def _context(host: str) -> ssl.SSLContext:
    """The settings of encryption. A server on this machine may sign its own certificate: nobody can listen in
    between."""
    context = ssl.create_default_context()
    if _is_this_machine(host):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _log_in(connection: smtplib.SMTP, server: SplitResult) -> None:
    if server.username is None:
        return
    encrypted = isinstance(connection.sock, ssl.SSLSocket)
    if not encrypted and not _is_this_machine(server.hostname or "localhost"):
        raise MailError(f"the mail server {server.hostname} offers no encryption, so the password was not sent")
    connection.login(unquote(server.username), unquote(server.password or ""))
