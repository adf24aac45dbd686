"""Templates that are compiled once in a process, though each test has an app of its own."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from moss.config import Config
from moss.store import Store
from moss.web import create_app


class _Compiled(BytecodeCache):
    """What Jinja compiled, by the template's name and source."""

    def __init__(self) -> None:
        self.codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self.codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.codes[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _Compiled()


def app_on(config: Config, store: Store, ring: Callable[[int], Any]) -> Flask:
    """The app as the program makes it."""
    app = create_app(config, store, ring)
    app.jinja_env.bytecode_cache = _COMPILED
    return app
