"""The codec: how a report's data classes become plain values, and back, in every place where reports are kept.

`moss.model` is the description, and the functions here follow it: nothing in this module knows any field. There are
three forms, because what is right for a reader of JSON is too long for a cache and too short for a database:

    FILE     report.json: objects with the names of version 1, figures rounded, what is empty left out
    ROW      the store and the archive of a course: objects with the names of attributes, every figure in full
    PACKED   the cache: lists in the order of the fields, so only the program that wrote it can read it

What is marked APART (texts, rankings) is in none of them; whoever writes them does that separately.

Reading believes what it is given. What comes from strangers is checked by `moss.shapes` first, which also follows the
model. Both are made once for each class, at the first use; this module is needed to begin at all, so it imports little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from enum import Enum, auto
from functools import cache, partial
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from moss.model import JsonName, Mark, Rounded

T = TypeVar("T")
Converter = Callable[[Any], Any]


class Form(Enum):
    """Where a value is kept."""

    FILE = auto()
    ROW = auto()
    PACKED = auto()


class DescribedField(NamedTuple):
    """A field of a class as it is described."""

    name: str
    marked: Any  # its type, with marks
    default: Any  # MISSING if it has none

    @property
    def marks(self) -> tuple[Any, ...]:
        """What its type does not say."""
        return unmarked(self.marked)[1]

    def key(self, form: Form) -> str:
        """What the field is called."""
        names = [mark.name for mark in self.marks if isinstance(mark, JsonName)]
        return names[0] if names and form is Form.FILE else self.name

    @property
    def needed(self) -> bool:
        """Whether it may not be missing."""
        return self.default is MISSING or Mark.NEEDED in self.marks


def parts_of(kind: type) -> list[DescribedField]:
    """The fields of a data class or named tuple that are not written apart."""
    defaults = {each.name: _default(each) for each in fields(kind)} if is_dataclass(kind) else {}
    hints = get_type_hints(kind, include_extras=True)
    parts = [DescribedField(name, hint, defaults.get(name, MISSING)) for name, hint in hints.items()]
    return [part for part in parts if Mark.APART not in part.marks]


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def unmarked(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without its marks, and those."""
    return (hint.__origin__, hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())


def is_named_tuple(hint: Any) -> bool:
    """Whether a type is one of our tuples whose parts have names."""
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")


def item_of(hint: Any) -> Any:
    """The type of the items, if a type is a tuple of any length; otherwise None."""
    inner = get_args(hint)
    return inner[0] if get_origin(hint) is tuple and inner[1:] == (...,) else None


def choice_of(hint: Any) -> Any:
    """The type of a value that may be None; None if it may not."""
    if isinstance(hint, UnionType):
        [inner] = [each for each in get_args(hint) if each is not NoneType]
        return inner
    return None


def plain(value: Any, form: Form) -> Any:
    """A value of the model as lists, dictionaries, strings and numbers."""
    kind: Any = type(value)
    write = _writer(kind, form)
    return write(value) if write else value


def from_plain(kind: type[T], form: Form, value: Any, **apart: Any) -> T:
    """The value of the model that was written so; fields that it lacks have their defaults, surplus ones are ignored.
    What was written apart can be given by name."""
    described: Any = kind
    made: T = _object_reader(described, form)(value, apart)
    return made


@cache
def _writer(marked: Any, form: Form) -> Converter | None:
    """The function that makes a value of this type plain; None if it is plain already."""
    hint, marks = unmarked(marked)
    if item := item_of(hint):
        return _list_writer(_writer(item, form), form)
    if inner := choice_of(hint):
        return _unless_none(_writer(inner, form))
    if is_dataclass(hint):
        return _tuple_writer(hint, form) if form is Form.PACKED else _object_writer(hint, form)
    if is_named_tuple(hint) and form is not Form.PACKED:
        return _object_writer(hint, form) if form is Form.FILE and Mark.OBJECT in marks else list
    if get_origin(hint) is Mapping:
        return dict
    return _scalar_writer(hint, marks) if form is Form.FILE else datetime.isoformat if hint is datetime else None


def _scalar_writer(hint: Any, marks: tuple[Any, ...]) -> Converter | None:
    for mark in marks:
        if isinstance(mark, Rounded):
            return partial(_rounded, mark.digits)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return attrgetter("value")
    return datetime.isoformat if hint is datetime else None


def _rounded(digits: int, value: float) -> float:
    return round(value, digits)


def _list_writer(inner: Converter | None, form: Form) -> Converter | None:
    if inner is None:
        return None if form is Form.PACKED else list  # JSON makes lists of tuples
    return lambda values: [inner(value) for value in values]


def _unless_none(inner: Converter | None) -> Converter | None:
    return inner and (lambda value: None if value is None else inner(value))


def _tuple_writer(kind: Any, form: Form) -> Converter:
    parts, changed = _parts(kind, form, _writer)
    values = attrgetter(*(part.name for part in parts))

    def write(value: Any) -> list[Any]:
        written = list(values(value))
        for place, change in changed:
            written[place] = change(written[place])
        return written

    return write


def _object_writer(kind: Any, form: Form) -> Converter:
    keys = [part.key(form) for part in parts_of(kind)]
    brief = [part.key(form) for part in parts_of(kind) if form is Form.FILE and Mark.BRIEF in part.marks]
    values = _tuple_writer(kind, form)

    def write(value: Any) -> dict[str, Any]:
        written = dict(zip(keys, values(value), strict=True))
        for key in brief:
            if not written[key]:
                del written[key]
        return written

    return write


def _parts(
    kind: Any, form: Form, converter: Callable[[Any, Form], Converter | None]
) -> tuple[list[DescribedField], list[tuple[int, Converter]]]:
    """The fields of a class, and those whose values change, by their places."""
    parts = parts_of(kind)
    found = [(place, converter(part.marked, form)) for place, part in enumerate(parts)]
    return parts, [(place, change) for place, change in found if change]


@cache
def _reader(marked: Any, form: Form) -> Converter | None:
    """The function that makes such a value of a plain one; None if that is it already."""
    hint, marks = unmarked(marked)
    if item := item_of(hint):
        inner = _reader(item, form)
        return (lambda values: tuple(map(inner, values))) if inner else tuple
    if choice := choice_of(hint):
        return _unless_none(_reader(choice, form))
    if is_dataclass(hint):
        described: Any = hint
        read = _object_reader(described, form)
        return lambda value: read(value, {})
    if is_named_tuple(hint):
        return (lambda value: hint(**value)) if form is Form.FILE and Mark.OBJECT in marks else (lambda v: hint(*v))
    if hint is datetime:
        return lambda value: datetime.fromisoformat(value) if isinstance(value, str) else value
    return hint if isinstance(hint, type) and issubclass(hint, Enum) else None


@cache
def _object_reader(kind: Any, form: Form) -> Callable[[Any, Mapping[str, Any]], Any]:
    parts, changed = _parts(kind, form, _reader)
    if form is Form.PACKED:
        return _list_reader(kind, parts, changed)
    change = dict(changed)
    known = [(part.name, part.key(form), change.get(place)) for place, part in enumerate(parts)]

    def read(value: Mapping[str, Any], apart: Mapping[str, Any]) -> Any:
        given = {name: convert(value[key]) if convert else value[key] for name, key, convert in known if key in value}
        return kind(**given, **apart)

    return read


def _list_reader(
    kind: Any, parts: list[DescribedField], changed: list[tuple[int, Converter]]
) -> Callable[[Any, Mapping[str, Any]], Any]:
    names = [part.name for part in parts]
    in_order = names == [each.name for each in fields(kind)][: len(names)]

    def read(value: list[Any], apart: Mapping[str, Any]) -> Any:
        if len(value) != len(names):
            raise ValueError("this was written by another program")
        for place, change in changed:
            value[place] = change(value[place])
        return kind(*value, **apart) if in_order else kind(**dict(zip(names, value, strict=True)), **apart)

    return read
