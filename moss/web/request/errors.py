"""Errors: a page, or for programs a JSON object, that says what is wrong in one sentence."""

from __future__ import annotations

import logging

from flask import Flask, g, jsonify, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, InternalServerError

from moss.jobs.disk_room import NO_ROOM, is_full
from moss.web.request.context import NoRoomError, undo
from moss.web.request.script_answers import wants_json

SENTENCES = {
    400: "The request cannot be understood.",
    401: "Log in first.",
    403: "Your role in this course does not allow that.",
    404: "There is no such page, or it is not for you.",
    405: "That cannot be done here.",
    413: "That is larger than this server accepts.",
    429: "Too many attempts. Wait a while and try again.",
    500: "Something went wrong here. It has been written down; try again, and tell the administrator if it stays.",
}


def add_error_pages(app: Flask) -> None:
    """Answer every error in words."""
    app.register_error_handler(HTTPException, _answer)
    app.register_error_handler(Exception, _accident)


def _answer(error: HTTPException) -> ResponseReturnValue:
    if error.code is not None and error.code < 400:
        return error
    if isinstance(error, InternalServerError):  # of a view, or of what follows it, as storing
        undo(error)
        g.user = None  # who is known only by the transaction that has failed; the page does without
        error = NoRoomError(NO_ROOM) if is_full(error.original_exception) else error
    code = error.code or 500
    said = error.description if error.description != type(error).description else None
    message = said or SENTENCES.get(code) or error.description or ""
    headers = [(name, value) for name, value in error.get_headers() if name.lower() not in ("content-type",)]
    if g.get("is_api") or wants_json():
        headers += [("WWW-Authenticate", "Bearer")] * (code == 401)
        return jsonify({"error": {"status": code, "message": message}}), code, headers
    if code == 429 and request.method == "GET":  # the browser asks again by itself
        headers += [("Refresh", str(value)) for name, value in headers if name == "Retry-After"]
    return render_template("web/error.html", code=code, message=message), code, headers


def _accident(error: Exception) -> ResponseReturnValue:
    logging.getLogger("moss.web").exception("a request failed")
    return _answer(InternalServerError(original_exception=error))
