"""Operations of the API: a function's types say what it takes and returns, and the description is made from them.

    @operation("POST", "/courses", Right.USER, status=201)
    def create_course(body: NewCourseBody) -> CourseBody: ...

An argument `body` or `query` is read from the request and checked. Arguments named in the path are rows of the store,
already authorised. The function returns its return type, or a `Response` for anything that is not JSON.
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
from moss.web.request.answers import refusals

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Operation:
    """One function of the API: its address, who may call it, what it takes and what it returns."""

    method: str
    path: str  # in Flask's notation: /courses/<int:course>
    name: str
    right: Right
    status: int
    help: str
    body: type[BaseModel] | None
    query: type[BaseModel] | None
    answer: Any  # a type; None: nothing; Response: not JSON
    accepts: str  # the media type of a body that is not JSON
    gives: str  # the media type of an answer that is not JSON


OPERATIONS: list[Operation] = []


def operation(
    method: str, path: str, right: Right, *, status: int = 200, accepts: str = "", gives: str = ""
) -> Callable[[Function], Function]:
    """A decorator that makes a function an operation of the API."""

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
    """The answer to a request whose fields are wrong: a sentence, and the fault of each field."""
    fields = [
        {"field": ".".join(map(str, each["loc"])), "message": each["msg"]} for each in error.errors(include_url=False)
    ]
    first = fields[0]
    message = f"{first['field']}: {first['message']}" if first["field"] else first["message"]
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    return jsonify({"error": {"status": status, "message": message, "fields": fields}}), status
