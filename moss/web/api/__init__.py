"""The API: all that the pages do, for programs, under `/api/v1`."""

from __future__ import annotations

from flask.typing import ResponseReturnValue

from moss.web.api import cases, courses, drops, runs, things, uploads
from moss.web.api.description import describe
from moss.web.api.operations import OPERATIONS, blueprint
from moss.web.request.access import Right, access

__all__ = ["OPERATIONS", "blueprint", "cases", "courses", "describe", "drops", "runs", "things", "uploads"]


@blueprint.get("/openapi.json")
@access(Right.ANYONE)
def openapi() -> ResponseReturnValue:
    """What the API can do, as OpenAPI."""
    return describe()
