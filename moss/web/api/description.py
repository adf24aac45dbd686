"""The description of the API as OpenAPI 3.1, made from the operations themselves."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from flask import Response
from pydantic import BaseModel, TypeAdapter

from moss.version import __version__
from moss.web.api.operations import OPERATIONS, Operation
from moss.web.request.access import THINGS, Right
from moss.web.request.answers import SENTENCES

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
