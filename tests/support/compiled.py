"""Apps that share their routes and templates, which take longer to make than most tests take for all else."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from unittest.mock import patch

from flask import Flask

from moss.config import Config
from moss.store import Store
from moss.web import app as web_app
from support.schema import open_migrated

# All that an app has of its views and templates: none of it depends on settings or database.
_SHARED = (
    "url_map", "view_functions", "blueprints", "before_request_funcs", "after_request_funcs", "teardown_request_funcs",
    "error_handler_spec", "template_context_processors", "url_value_preprocessors", "url_default_functions",
    "jinja_env", "jinja_options",
)  # fmt: skip


def app_on(config: Config, store: Store) -> Flask:
    """The app as the program makes it, with the routes and templates of the first one in this process."""
    first = _first_app()
    nothing = {"BLUEPRINTS": (), "check_routes": lambda app: None, "_add_templates": lambda app: None}
    with patch.multiple(web_app, **nothing):
        app = web_app.create_app(config, store)
    vars(app).update({name: getattr(first, name) for name in _SHARED})
    return app


@cache
def _first_app() -> Flask:
    with tempfile.TemporaryDirectory() as folder:
        config = Config(data=Path(folder))
        store = open_migrated(config.database)
        app = web_app.create_app(config, store)
        store.close()
    return app
