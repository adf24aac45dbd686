"""Operations: each function of the API says by its types what it takes and gives, and the description follows.

    @operation("POST", "/courses", Right.USER, status=201)
    def create_course(body: NewCourse) -> Course: ...

An argument `body` or `query` is read from the request and checked; arguments named as in the path are things of the
store, already authorised. What is returned is what the return type says, or a `Response` for anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar, get_type_hints

from flask import Blueprint, Response, jsonify, request
from flask.typing import ResponseReturnValue
from pydantic import BaseModel, TypeAdapter, ValidationError

from moss.web.request.access import Right
from moss.web.request.script_answers import refusals

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Operation:
    """What one function of the API does, for whom, with what."""

    method: str
    path: str  # as Flask writes it
    name: str
    right: Right
    status: int
    help: str
    body: type[BaseModel] | None
    query: type[BaseModel] | None
    answer: Any  # a type; None: nothing; Response: not JSON
    accepts: str  # the kind of a body that is not JSON
    gives: str  # the kind of an answer that is not JSON


OPERATIONS: list[Operation] = []


def operation(
    method: str, path: str, right: Right, *, status: int = 200, accepts: str = "", gives: str = ""
) -> Callable[[Function], Function]:
    """Make a function an operation of the API."""

    def register(function: Function) -> Function:
        types = get_type_hints(function)
        made = Operation(
            method, path, function.__name__, right, status, function.__doc__ or "", types.get("body"),
            types.get("query"), types["return"], accepts, gives,
        )  # fmt: skip
        OPERATIONS.append(made)
        blueprint.add_url_rule(path, made.name, _view(function, made), methods=[method])
        return function

    return register


def _view(function: Callable[..., Any], made: Operation) -> Callable[..., ResponseReturnValue]:
    adapter: TypeAdapter[Any] | None = None if made.answer in (type(None), Response) else TypeAdapter(made.answer)

    def view(**arguments: Any) -> ResponseReturnValue:
        try:
            if made.body is not None:
                arguments["body"] = made.body.model_validate_json(request.get_data() or b"{}")
            if made.query is not None:
                arguments["query"] = made.query.model_validate(request.args.to_dict())
        except ValidationError as error:
            return _wrong(error)
        with refusals():
            result = function(**arguments)
        if adapter is None:
            return result if isinstance(result, Response) else ("", made.status)
        return Response(adapter.dump_json(adapter.validate_python(result)), made.status, mimetype="application/json")

    view.right = made.right  # type: ignore[attr-defined]
    return view


def _wrong(error: ValidationError) -> ResponseReturnValue:
    """What is wrong with a request's fields, in words."""
    fields = [
        {"field": ".".join(map(str, each["loc"])), "message": each["msg"]} for each in error.errors(include_url=False)
    ]
    first = fields[0]
    message = f"{first['field']}: {first['message']}" if first["field"] else first["message"]
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    return jsonify({"error": {"status": status, "message": message, "fields": fields}}), status
