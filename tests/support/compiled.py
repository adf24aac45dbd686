"""Templates and routes that are compiled once in a process, though each test has an app of its own."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any, ClassVar
from unittest.mock import patch

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule

from moss.config import Config
from moss.store import Store
from moss.web import create_app


class _Compiled(BytecodeCache):
    """The templates that Jinja compiled, by name and source."""

    def __init__(self) -> None:
        self.codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self.codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.codes[bucket.key, bucket.checksum] = bucket.code


class _Route(Rule):
    """A route of which the functions that build addresses, which know nothing of the app, are compiled once.

    They are most of the time that an app takes to be made."""

    builders: ClassVar[dict[tuple[Any, ...], Callable[..., tuple[str, str]]]] = {}

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        key = (self.rule, tuple(self._trace), repr(self.defaults), append_unknown)
        if key not in self.builders:
            self.builders[key] = super()._compile_builder(append_unknown)
        return self.builders[key]


_COMPILED = _Compiled()


def app_on(config: Config, store: Store) -> Flask:
    """The app as the program makes it."""
    with patch.object(Flask, "url_rule_class", _Route):
        app = create_app(config, store)
    app.jinja_env.bytecode_cache = _COMPILED
    return app
