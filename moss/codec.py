"""The codec: from a report's data classes to plain values and back, wherever reports are stored.

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

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from enum import Enum, auto
from functools import cache, partial
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin

from moss.model import JsonName, Mark, Rounded

T = TypeVar("T")
Converter = Callable[[Any], Any]


class Form(Enum):
    """The place where a value is written, which decides how."""

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
        """The marks that its type carries."""
        return unmarked(self.marked)[1]

    def key(self, form: Form) -> str:
        """The field's name in a form."""
        names = [mark.name for mark in self.marks if isinstance(mark, JsonName)]
        return names[0] if names and form is Form.FILE else self.name

    @property
    def needed(self) -> bool:
        """Whether it may not be missing."""
        return self.default is MISSING or Mark.NEEDED in self.marks


@cache
def _described(kind: Any) -> list[DescribedField]:
    if not is_dataclass(kind):
        return [DescribedField(name, marked, MISSING) for name, marked in kind.__annotations__.items()]
    return [DescribedField(each.name, each.type, _default(each)) for each in fields(kind)]


def parts_of(kind: type) -> list[DescribedField]:
    """The fields of a data class or named tuple that are not written apart."""
    return [part for part in _described(kind) if Mark.APART not in part.marks]


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def unmarked(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without its marks, and the marks."""
    return (hint.__origin__, hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())


def is_named_tuple(hint: Any) -> bool:
    """Whether a type is one of our tuples whose parts have names."""
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")


def item_of(hint: Any) -> Any:
    """The type of the items, if a type is a tuple of any length; otherwise None."""
    inner = get_args(hint)
    return inner[0] if get_origin(hint) is tuple and inner[1:] == (...,) else None


def optional_of(marked: Any) -> Any:
    """The type of a value that may be None, with its marks; None if it may not."""
    hint, marks = unmarked(marked)
    if isinstance(hint, UnionType):
        [inner] = [each for each in get_args(hint) if each is not NoneType]
        return Annotated[inner, *marks] if marks else inner
    return None


def values_of(hint: Any) -> Any:
    """The type of the values, if a type is a table by names; otherwise None."""
    return get_args(hint)[1] if get_origin(hint) is Mapping else None


def plain(value: Any, form: Form) -> Any:
    """A value of the model as lists, dictionaries, strings and numbers."""
    kind: Any = type(value)
    write = _writer(kind, form)
    return write(value) if write else value


def from_plain(kind: type[T], form: Form, value: Any, **apart: Any) -> T:
    """The value of the model that plain values stand for; missing fields have their defaults, surplus ones are ignored.
    Fields that were written apart can be given by name."""
    described: Any = kind
    read: Any = _reader(described, form)
    made: T = read(value)
    supply(made, **apart)
    return made


def all_from_plain(kind: type[T], form: Form, values: Iterable[Any]) -> tuple[T, ...]:
    """The values of the model that several plain values stand for; for thousands it matters that the function is looked
    up once."""
    described: Any = kind
    read: Any = _reader(described, form)
    return tuple(map(read, values))


def supply(value: Any, **apart: Any) -> None:
    """Set fields that were written apart, in a value that was just read and that nobody else has yet."""
    for name, each in apart.items():
        object.__setattr__(value, name, each)  # a copy of every file's record would take longer than to read it


@cache
def _writer(marked: Any, form: Form) -> Converter | None:
    """The function that makes a value of this type plain; None if it is plain already."""
    hint, marks = unmarked(marked)
    if item := item_of(hint):
        return _list_writer(_writer(item, form), form)
    if inner := optional_of(marked):
        return _unless_none(_writer(inner, form))
    if is_dataclass(hint):
        return _tuple_writer(hint) if form is Form.PACKED else _object_writer(hint, form)
    if is_named_tuple(hint) and form is not Form.PACKED:
        return _object_writer(hint, form) if form is Form.FILE and Mark.OBJECT in marks else list
    if values := values_of(hint):
        return _table(_writer(values, form)) or dict
    if get_origin(hint) is not None:
        raise TypeError(f"there is no plain form of {hint}: see moss.codec")
    return _scalar_writer(hint, marks) if form is Form.FILE else datetime.isoformat if hint is datetime else None


def _scalar_writer(hint: Any, marks: tuple[Any, ...]) -> Converter | None:
    for mark in marks:
        if isinstance(mark, Rounded):
            return partial(round, ndigits=mark.digits)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return attrgetter("_value_")  # several times as fast as `value`
    return datetime.isoformat if hint is datetime else None


def _list_writer(inner: Converter | None, form: Form) -> Converter | None:
    if inner is None:
        return None if form is Form.PACKED else list  # JSON makes lists of tuples
    return lambda values: list(map(inner, values))


def _unless_none(inner: Converter | None) -> Converter | None:
    return inner and (lambda value: None if value is None else inner(value))


def _table(inner: Converter | None) -> Converter | None:
    return inner and (lambda values: {name: inner(value) for name, value in values.items()})


class _Source:
    """The source of a function `convert(v)`, and the names in it. Each class has functions of its own, as `dataclasses`
    makes methods: a report has thousands of passages, and a loop over their fields takes four times as long."""

    def __init__(self, **names: Any) -> None:
        self.names = names

    def name(self, value: Any) -> str:
        """A name for a value."""
        name = f"_{len(self.names)}"
        self.names[name] = value
        return name

    def converted(self, convert: Converter | None, value: str) -> str:
        """The expression of a value that is converted."""
        return f"{self.name(convert)}({value})" if convert else value

    def compiled(self, *lines: str) -> Converter:
        """The function of these lines."""
        exec("\n".join(lines), self.names)
        function: Converter = self.names["convert"]
        return function


def _tuple_writer(kind: Any) -> Converter:
    source = _Source()
    values = [source.converted(_writer(part.marked, Form.PACKED), f"v.{part.name}") for part in parts_of(kind)]
    return source.compiled(f"def convert(v): return [{', '.join(values)}]")


def _object_writer(kind: Any, form: Form) -> Converter:
    source, items, brief = _Source(), [], []
    for part in parts_of(kind):
        key, value = repr(part.key(form)), source.converted(_writer(part.marked, form), f"v.{part.name}")
        if form is Form.FILE and Mark.BRIEF in part.marks:
            brief.append(f" if v.{part.name}: written[{key}] = {value}")
        else:
            items.append(f"{key}: {value}")
    return source.compiled("def convert(v):", f" written = {{{', '.join(items)}}}", *brief, " return written")


@cache
def _reader(marked: Any, form: Form) -> Converter | None:
    """The function that makes a value of this type from a plain one; None if the plain one is it already."""
    hint, marks = unmarked(marked)
    if item := item_of(hint):
        inner = _reader(item, form)
        return (lambda values: tuple(map(inner, values))) if inner else tuple
    if present := optional_of(marked):
        return _unless_none(_reader(present, form))
    if values := values_of(hint):
        return _table(_reader(values, form))
    if is_dataclass(hint):
        return _list_reader(hint) if form is Form.PACKED else _object_reader(hint, form)
    if is_named_tuple(hint):
        has_names = form is Form.FILE and Mark.OBJECT in marks
        return (lambda value: hint(**value)) if has_names else partial(tuple.__new__, hint)
    if hint is datetime:
        return lambda value: datetime.fromisoformat(value) if isinstance(value, str) else value
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {member.value: member for member in hint}.__getitem__  # quicker than a call of the class
    return None


def _object_reader(kind: Any, form: Form) -> Converter:
    source, given = _Source(kind=kind), []
    for part in parts_of(kind):
        key = repr(part.key(form))
        value = source.converted(_reader(part.marked, form), f"v[{key}]")
        default = "" if part.default is MISSING else f" if {key} in v else {source.name(part.default)}"
        given.append(f"{part.name}={value}{default}")
    return source.compiled(f"def convert(v): return kind({', '.join([*given, *_absent(kind)])})")


def _list_reader(kind: Any) -> Converter:
    source, parts = _Source(kind=kind), parts_of(kind)
    values = [
        f"{source.name(unmarked(part.marked)[0])}(*f_{part.name})"  # a call less for every passage
        if _is_flat(unmarked(part.marked)[0])
        else source.converted(_reader(part.marked, Form.PACKED), f"f_{part.name}")
        for part in parts
    ]
    unpacked = f" {''.join(f'f_{part.name}, ' for part in parts)} = v"  # if it has more or fewer, another wrote it
    if parts != _described(kind)[: len(parts)]:  # not only the last fields are written apart
        values = [f"{part.name}={value}" for part, value in zip(parts, values, strict=True)]
    return source.compiled("def convert(v):", unpacked, f" return kind({', '.join([*values, *_absent(kind)])})")


def _absent(kind: Any) -> list[str]:
    """Placeholder arguments for fields that are written apart and have no default; they are supplied later."""
    apart = [part for part in _described(kind) if Mark.APART in part.marks]
    return [f"{part.name}=None" for part in apart if part.default is MISSING]


def _is_flat(hint: Any) -> bool:
    """Whether a type is a data class that is made of its packed values as they are."""
    if not is_dataclass(hint):
        return False
    parts = parts_of(hint)  # type: ignore[arg-type]
    return len(parts) == len(fields(hint)) and not any(_reader(part.marked, Form.PACKED) for part in parts)
