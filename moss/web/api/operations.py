"""Operations of the API: a function's types say what it takes and returns, and OpenAPI's description is made from them.

    @operation("POST", "/courses", Right.USER, status=201)
    def create_course(body: NewCourseBody) -> CourseBody: ...

An argument `body` or `query` is read from the request and checked. Arguments named in the path are rows of the store,
already authorised. The function returns its return type, or a `Response` for anything that is not JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any, TypeVar, get_type_hints

from flask import Blueprint, Response, jsonify, request
from flask.typing import ResponseReturnValue
from pydantic import BaseModel, TypeAdapter, ValidationError

from moss.version import __version__
from moss.web.request.access import THINGS, Right
from moss.web.request.answers import SENTENCES, refusals

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")

Function = TypeVar("Function", bound=Callable[..., Any])
_VARIABLE = re.compile(r"<int:(\w+)>")
_REFERENCE = "#/components/schemas/{model}"

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["status", "message"],
            "properties": {
                "status": {"type": "integer"},
                "message": {"type": "string", "description": "what is wrong, in one sentence"},
                "fields": {"type": "array", "items": {"type": "object"}},
            },
        }
    },
}

_WHO = {
    Right.ANYONE: "For anyone.",
    Right.USER: "For every user.",
    Right.READ: "For members of the course.",
    Right.TEACH: "For instructors of the course.",
    Right.ADMINISTER: "For administrators.",
}


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


@cache
def describe() -> dict[str, Any]:
    """The whole API as an OpenAPI document."""
    schemas: dict[str, Any] = {"Error": _ERROR}
    paths: dict[str, dict[str, Any]] = {}
    for made in OPERATIONS:
        path = _VARIABLE.sub(r"{\1}", made.path)
        paths.setdefault(path, {})[made.method.lower()] = _operation(made, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "moss",
            "version": __version__,
            "summary": "Courses, assignments, uploads, runs and what they found.",
            "description": "Send a token that you made on your account's page: `Authorization: Bearer moss_…`.",
        },
        "servers": [{"url": "/api/v1"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": dict(sorted(schemas.items())),
        },
    }


def _operation(made: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    summary, _, rest = made.help.partition("\n")
    described: dict[str, Any] = {
        "operationId": made.name,
        "summary": summary,
        "description": f"{' '.join(rest.split())} {_WHO[made.right]}".strip(),
        "parameters": [*_path_parameters(made.path), *_query_parameters(made.query, schemas)],
        "responses": _responses(made, schemas),
    }
    if made.right is Right.ANYONE:
        described["security"] = []
    if made.body is not None:
        described["requestBody"] = {"required": True, "content": _json(_schema(made.body, schemas, "validation"))}
    elif made.accepts:
        described["requestBody"] = {"required": True, "content": {made.accepts: {"schema": _binary()}}}
    return described


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "integer", "minimum": 0},
         "description": _described_number(name)}
        for name in _VARIABLE.findall(path)
    ]  # fmt: skip


def _described_number(name: str) -> str:
    if name not in THINGS:
        return "its number"
    return f"the {THINGS[name][0].__name__.removesuffix('Row').lower()}'s id"


def _query_parameters(query: type[BaseModel] | None, schemas: dict[str, Any]) -> list[dict[str, Any]]:
    if query is None:
        return []
    schema = _with_definitions(query.model_json_schema(ref_template=_REFERENCE), schemas)
    return [
        {"name": name, "in": "query", "required": name in schema.get("required", ()),
         "schema": {key: value for key, value in property.items() if key != "description"},
         "description": property.get("description", "")}
        for name, property in schema["properties"].items()
    ]  # fmt: skip


def _responses(made: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    good: dict[str, Any] = {"description": "done"}
    if made.answer is Response:
        good["content"] = {made.gives: {"schema": _binary()}}
    elif made.answer is not type(None):
        good["content"] = _json(_schema(made.answer, schemas, "serialization"))
    codes = {400, 401, 403, 404, 413, 422, 429} if made.right is not Right.ANYONE else set()
    wrong = {
        str(code): {
            "description": SENTENCES.get(code, "wrong"),
            "content": _json({"$ref": "#/components/schemas/Error"}),
        }
        for code in sorted(codes)
    }
    return {str(made.status): good} | wrong


def _schema(kind: Any, schemas: dict[str, Any], mode: Any) -> dict[str, Any]:
    return _with_definitions(TypeAdapter(kind).json_schema(mode=mode, ref_template=_REFERENCE), schemas, kind)


def _with_definitions(schema: dict[str, Any], schemas: dict[str, Any], kind: Any = None) -> dict[str, Any]:
    """The schema, with the schemas that it refers to moved into the shared table."""
    schema = _published(schema)
    schemas.update({_public_name(name): model for name, model in schema.pop("$defs", {}).items()})
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        name = _public_name(kind.__name__)
        schemas[name] = schema
        return {"$ref": _REFERENCE.format(model=name)}
    return schema


def _public_name(name: str) -> str:
    """The name of a class in the description: users of the API know `CourseBody` as `Course`."""
    return name.removesuffix("Body")


def _published(schema: Any) -> Any:
    """A schema in which classes are called by their public names, in titles and references."""
    if isinstance(schema, dict):
        return {
            key: _public_name(value) if key in ("title", "$ref") and isinstance(value, str) else _published(value)
            for key, value in schema.items()
        }
    return [_published(value) for value in schema] if isinstance(schema, list) else schema


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _binary() -> dict[str, Any]:
    return {"type": "string", "format": "binary"}
