"""The API: all that the pages do, for programs, under `/api/v1`."""

from __future__ import annotations

from flask.typing import ResponseReturnValue

from moss.web.api import assignments, cases, courses, drops, runs
from moss.web.api.operations import OPERATIONS, blueprint, describe
from moss.web.request.access import Right, access

__all__ = ["OPERATIONS", "assignments", "blueprint", "cases", "courses", "describe", "drops", "runs"]


@blueprint.get("/openapi.json")
@access(Right.ANYONE)
def openapi() -> ResponseReturnValue:
    """The description of the API, as OpenAPI."""
    return describe()
