"""The app of these tests, which shares its routes and templates with others, has all that the program's own has."""

from __future__ import annotations

import pytest
from support.compiled import app_on

from moss.config import Config
from moss.web import create_app


def counted(held):
    """How many there are under each key; keys that were only asked for have none."""
    if isinstance(held, dict):
        return {key: count for key, value in held.items() if (count := counted(value))}
    return len(held) if isinstance(held, list) else 1


def registered(app):
    """All that the app keeps by name."""
    return {name: counted(held) for name, held in vars(app).items() if isinstance(held, dict)}


@pytest.mark.parametrize("settings", [{}, {"proxies": 1}, {"public_url": "https://moss.example.org"}])
def test_nothing_is_missing(server, settings):
    config = Config(data=server.config.data, **settings)
    ours, theirs = app_on(config, server.store), create_app(config, server.store)
    assert registered(ours) == registered(theirs)
    assert [*map(str, ours.url_map.iter_rules())] == [*map(str, theirs.url_map.iter_rules())]
    assert ours.config == theirs.config
    assert ours.extensions == theirs.extensions
    assert type(ours.wsgi_app) is type(theirs.wsgi_app)
    assert ours.jinja_env.filters.keys() == theirs.jinja_env.filters.keys()
    assert ours.jinja_env.globals.keys() == theirs.jinja_env.globals.keys()
