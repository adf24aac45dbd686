"""Assets: the style sheets and scripts of the app, cached for ever because their addresses change with them."""

from __future__ import annotations

import hashlib
from functools import cache

from flask import Blueprint, Response, send_from_directory, url_for

from moss.report.page_templates import TEMPLATES
from moss.web.request.access import Right, access

blueprint = Blueprint("assets", __name__)

FOLDERS = (TEMPLATES / "web" / "assets", TEMPLATES / "report" / "assets")
FOR_EVER = "public, max-age=31536000, immutable"


@blueprint.get("/assets/<name>")
@access(Right.ANYONE)
def show(name: str) -> Response:
    """A style sheet or a script."""
    folder = next((folder for folder in FOLDERS if (folder / name).is_file()), FOLDERS[0])
    response = send_from_directory(folder, name)
    response.headers["Cache-Control"] = FOR_EVER
    return response


@cache
def _digest() -> str:
    files = sorted(path for folder in FOLDERS for path in folder.iterdir() if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def asset_url(name: str) -> str:
    """The address of a file; it changes whenever any of the files does."""
    return url_for("assets.show", name=name, v=_digest())
