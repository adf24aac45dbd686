"""Answers: the headers that every answer has, errors in words, and compression for clients that accept gzip.

An error is a page for people, and JSON for programs.
"""

from __future__ import annotations

import gzip
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from flask import Flask, Response, abort, g, jsonify, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, InternalServerError

from moss.jobs.disk_room import NO_ROOM, is_full
from moss.messages import gettext as _
from moss.messages import marked
from moss.report.packed_page import PackedPage
from moss.store.submissions.uploads import TooLargeError
from moss.store.validation import RefusedError
from moss.web.request.context import NoRoomError, server, undo, visitor

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
SENTENCES = {
    400: marked("The server couldn’t understand this request."),
    401: marked("Log in first."),
    403: marked("Your role in this course doesn’t allow that."),
    404: marked("Page not found, or you don’t have access."),
    405: marked("That can’t be done here."),
    413: marked("That is larger than this server accepts."),
    429: marked("Too many attempts. Wait a while and try again."),
    500: marked(
        "Something went wrong on the server, and the error was logged. "
        "Try again, and tell the administrator if it keeps happening."
    ),
}

_FEWEST = 500  # bytes: less fits into one packet as it is
_LEVEL = 4
_PLAIN = ("text/", "application/json", "application/javascript", "application/manifest+json", "image/svg+xml")
"""The kinds of content that are not compressed already."""


def add_error_pages(app: Flask) -> None:
    """Let the app answer every error in words."""
    app.register_error_handler(HTTPException, _answer)
    app.register_error_handler(Exception, _accident)


def _answer(error: HTTPException) -> ResponseReturnValue:
    if error.code is not None and error.code < 400:
        return error
    if isinstance(error, InternalServerError):  # raised in a view or while committing
        undo(error)
        g.user = None  # known only through the transaction that failed; the page does without
        error = NoRoomError(NO_ROOM) if is_full(error.original_exception) else error
    code = error.code or 500
    said = error.description if error.description != type(error).description else None
    message = said or (_(SENTENCES[code]) if code in SENTENCES else error.description or "")
    headers = [(name, value) for name, value in error.get_headers() if name.lower() not in ("content-type",)]
    if g.get("is_api") or wants_json():
        headers += [("WWW-Authenticate", "Bearer")] * (code == 401)
        return jsonify({"error": {"status": code, "message": message}}), code, headers
    if code == 429 and request.method == "GET":  # the browser asks again by itself
        headers += [("Refresh", str(value)) for name, value in headers if name == "Retry-After"]
    leads_back = code not in (401, 403, 404) and code < 500 and request.method != "GET"
    back = way_back() if leads_back else ""
    page = render_template("web/error.html", code=code, message=message, kept=_kept(code), back=back)
    return page, code, headers


_PAGES = (
    (re.compile(r"/runs/(?P<run>\d+)/pairs/(?P<rank>\d+)/"), "reports.pair"),
    (re.compile(r"/cases/(?P<case>\d+)/"), "cases.show"),
    (re.compile(r"/uploads/(?P<upload>\d+)/"), "uploads.show"),
    (re.compile(r"/runs/(?P<run>\d+)/"), "reports.overview"),
    (re.compile(r"/assignments/(?P<assignment>\d+)/"), "assignments.show"),
    (re.compile(r"/people/(?P<person>\d+)/"), "people.show"),
    (re.compile(r"/courses/(?P<course>\d+)/"), "courses.show"),
)


def way_back() -> str:
    """The page of the thing to which something could not be done, with its view of a list, so that a refusal does not
    lead away from it; empty if there is none."""
    found = ((pattern.match(request.path), endpoint) for pattern, endpoint in _PAGES)
    page = next((url_for(endpoint, **_numbers(match)) for match, endpoint in found if match), "")
    view = request.query_string.decode("ascii", "ignore")
    return f"{page}?{view}" if page and view else page


def _numbers(match: re.Match[str]) -> dict[str, Any]:
    return {name: int(value) for name, value in match.groupdict().items()}


def _kept(code: int) -> str:
    """A sentence on the visitor's work after an error, and on what they can do."""
    if code == 404:
        return _("Check the address, or ask a colleague who is in the course to invite you.")
    if code == 403:
        return _("Nothing was changed. Ask an instructor of the course, or an administrator.")
    return "" if request.method == "GET" else _("Nothing was changed. Go back and try again.")


def _accident(error: Exception) -> ResponseReturnValue:
    logging.getLogger("moss.web").exception("a request failed")
    return _answer(InternalServerError(original_exception=error))


def add_headers(response: Response) -> Response:
    """Add the headers that every answer has."""
    headers = response.headers
    headers.setdefault("Content-Security-Policy", POLICY)
    headers["X-Content-Type-Options"] = "nosniff"
    headers.setdefault("X-Frame-Options", "DENY")
    headers["Referrer-Policy"] = "no-referrer"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
    headers["X-Robots-Tag"] = "noindex"
    if server().config.is_secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    if "Cache-Control" not in headers:
        headers["Cache-Control"] = "no-store" if visitor() else "no-cache"
    return response


def wants_json() -> bool:
    """Whether a script of a page asks, and wants data instead of a page."""
    return request.headers.get("Accept", "") == "application/json"


@contextmanager
def refusals() -> Iterator[None]:
    """Turn a refusal inside into an error answer with its sentence."""
    try:
        yield
    except TooLargeError as wrong:
        abort(413, str(wrong))
    except RefusedError as wrong:
        abort(422, str(wrong))


def _packed(content: bytes) -> bytes:
    return gzip.compress(content, _LEVEL, mtime=0)


_packed_file = lru_cache(maxsize=64)(_packed)  # style sheets and scripts, which are few and always the same


def accepts_gzip() -> bool:
    """Whether the client of this request accepts gzip."""
    return "gzip" in request.headers.get("Accept-Encoding", "") and request.accept_encodings["gzip"] > 0


def send_page(page: PackedPage, contents: Mapping[str, str], kind: str = "text/html") -> Response:
    """A stored page with its slots filled, compressed if the client accepts that."""
    if not accepts_gzip():
        return Response(page.filled(contents), mimetype=kind)
    return Response(page.gzipped(contents), mimetype=kind, headers={"Content-Encoding": "gzip"})


def compress(response: Response) -> Response:
    """Compress an answer if that helps and the client accepts it, and say that answers differ by what is accepted."""
    if not (response.mimetype or "").startswith(_PLAIN):
        return response
    response.vary.add("Accept-Encoding")
    if "Content-Encoding" in response.headers or (response.is_streamed and not response.direct_passthrough):
        return response
    if not accepts_gzip() or response.status_code in (204, 206, 304) or (response.content_length or _FEWEST) < _FEWEST:
        return response
    is_file, response.direct_passthrough = response.direct_passthrough, False
    content = response.get_data()
    if len(content) < _FEWEST:
        return response
    response.set_data(_packed_file(content) if is_file else _packed(content))
    response.headers["Content-Encoding"] = "gzip"
    response.headers.pop("Accept-Ranges", None)
    tag, weak = response.get_etag()
    if tag is not None and not weak:  # the same content in other bytes
        response.set_etag(tag, weak=True)
    return response
