"""Shapes: how a report looks where strangers write or read it, made from the data classes of `moss.model`.

A shape is a model of pydantic. It checks a report's file and the archive of a course, it is what the API gives, and
`moss schema` prints it. Its fields come from the data classes, so a new one is in all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema

from moss.codec import DescribedField, Form, is_named_tuple, item_of, optional_of, parts_of, plain, unmarked, values_of
from moss.model import Mark, Within

Model = TypeVar("Model", bound=BaseModel)


class Checked(BaseModel):
    """The base of values from files that anyone may have written: nothing is converted, unknown fields are ignored."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)


def with_fields_of(
    kind: type,
    form: Form,
    *,
    without: Collection[str] = (),
    renamed: Mapping[str, str] | None = None,
    text: Any = str,
) -> Callable[[type[Model]], type[Model]]:
    """Give a model the fields of a data class, but for those that it has itself. `renamed` has other names for some;
    `text` is the type of every text in it."""

    def extend(model: type[Model]) -> type[Model]:
        base = next(each for each in model.__mro__[1:] if issubclass(each, BaseModel))
        maker = _Maker(form, text, base)
        named = {(renamed or {}).get(part.name, part.key(form)): part for part in parts_of(kind)}
        left_out = {*without, *model.model_fields}
        found = {name: maker.field(part) for name, part in named.items() if name not in left_out}
        return _made(model, model, found)

    return extend


class _Maker:
    """Makes the models of data classes in one form, on one base."""

    def __init__(self, form: Form, text: Any, base: type[BaseModel]) -> None:
        self.form, self.text, self.base = form, text, base

    def shape(self, kind: Any) -> type[BaseModel]:
        """The model of a class; each is made once, or a description would have it several times."""
        return _shape(kind, self.form, self.text, self.base)

    def field(self, part: DescribedField) -> tuple[Any, Any]:
        """A field's type, with its limits, its description and its default."""
        about = next((mark for mark in part.marks if isinstance(mark, str)), None)
        default = ... if part.needed else self._default(part)
        return self.type(part.marked), Field(default, description=about)

    def _default(self, part: DescribedField) -> Any:
        """The default of a field that may be missing, in the field's own type: pydantic does not convert it."""
        value, (hint, _) = plain(part.default, self.form), unmarked(part.marked)
        return self.shape(hint).model_construct(**value) if is_dataclass(hint) else value

    def type(self, marked: Any) -> Any:
        """The type of the plain value that the codec writes."""
        hint, marks = unmarked(marked)
        if item := item_of(hint):
            return list[self.type(item)]  # type: ignore[misc]
        if inner := optional_of(marked):
            return self.type(inner) | None
        if is_named_tuple(hint) and not (self.form is Form.FILE and Mark.OBJECT in marks):
            return tuple[*(self.type(part.marked) for part in parts_of(hint))]  # type: ignore[misc]
        if is_dataclass(hint) or is_named_tuple(hint):
            return self.shape(hint)
        if values := values_of(hint):
            return dict[str, self.type(values)]  # type: ignore[misc]
        return self.text if hint is str else _limited(hint, marks)


@cache
def _shape(kind: Any, form: Form, text: Any, base: type[BaseModel]) -> type[BaseModel]:
    maker = _Maker(form, text, base)
    return _made(kind, base, {part.key(form): maker.field(part) for part in parts_of(kind)})


def _made(named: Any, base: type[Model], fields: dict[str, Any]) -> type[Model]:
    about = {"__doc__": named.__doc__, "__module__": named.__module__}
    return create_model(named.__name__, __base__=base, **about, **fields)


def _limited(hint: Any, marks: tuple[Any, ...]) -> Any:
    for mark in marks:
        if isinstance(mark, Within):
            least = Field(gt=mark.least) if mark.open else Field(ge=mark.least)
            return Annotated[hint, least, Field(le=mark.most)]
    return hint


class _WithoutTitles(GenerateJsonSchema):
    """Leaves out titles that only repeat the names of the fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a model."""
    return {"$schema": _WithoutTitles.schema_dialect, **model.model_json_schema(schema_generator=_WithoutTitles)}


def first_fault(error: ValidationError) -> str:
    """Where something is not as it should be, and why, in words that end a sentence."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"])) or "its beginning"
    words = first["msg"].removeprefix("Value error, ")
    return f"{place}: {words[:1].lower()}{words[1:].rstrip('.')}"
