"""Assets: the style sheets and scripts of the app, cached for ever because their addresses change with them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, request, send_from_directory

from moss.report.page_templates import REPORT_FOLDERS, TEMPLATES
from moss.web.request.access import Right, access

blueprint = Blueprint("assets", __name__)

REPORT_ASSETS = tuple(folder / "assets" for folder in REPORT_FOLDERS)
FOLDERS = (TEMPLATES / "web" / "assets", *REPORT_ASSETS)
FOR_EVER = "public, max-age=31536000, immutable"


@blueprint.get("/assets/<name>")
@access(Right.ANYONE)
def show(name: str) -> Response:
    """A style sheet or a script."""
    response = send_asset(FOLDERS, name)
    response.headers["Cache-Control"] = FOR_EVER
    return response


def send_asset(folders: Sequence[Path], name: str) -> Response:
    """A file of one of these folders."""
    folder = next((folder for folder in folders if (folder / name).is_file()), folders[0])
    return send_from_directory(folder, name)


@cache
def _digest() -> str:
    files = sorted(path for folder in FOLDERS for path in folder.iterdir() if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def asset_url(name: str) -> str:
    """The address of a file; it changes whenever any of the files does."""
    return f"{request.script_root}/assets/{name}?v={_digest()}"  # a page has many, and url_for takes longer
