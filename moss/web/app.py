"""The app: its blueprints, the functions that run around each request, and the filters of its templates."""

from __future__ import annotations

import secrets

from flask import Blueprint, Flask, g, request
from sqlalchemy.exc import IntegrityError
from werkzeug.middleware.proxy_fix import ProxyFix

from moss.config import Config
from moss.report.page_templates import JINJA_OPTIONS, TEMPLATES, furnish
from moss.store import Store
from moss.store.tables import ServerValueRow
from moss.version import __version__
from moss.web import api
from moss.web.pages import (
    account,
    assets,
    assignments,
    audit,
    cases,
    checks,
    classic,
    course_archives,
    courses,
    downloads,
    home,
    members,
    metrics,
    people,
    reports,
    run_comparison,
    runs,
    session,
    setup,
    shares,
    upload_files,
    uploads,
    users,
    what_if,
)
from moss.web.request.access import authorise, check_routes, close_other_pages, may_teach
from moss.web.request.addresses import language_title, limit_numbers
from moss.web.request.answers import add_error_pages, add_headers, compress
from moss.web.request.context import ServerContext, must_have_room, settle, undo, visitor
from moss.web.request.cookies import check_form, form_field, form_token, give_cookie, recognise, refuse_nul

_SMALL_BYTES = 64 * 1024  # a request up to this size is accepted even if the disk is full
_FORM_BYTES = 2 * 1024 * 1024  # the largest form; uploads use routes that read their body themselves

BLUEPRINTS: tuple[Blueprint, ...] = (
    assets.blueprint,
    home.blueprint,
    setup.blueprint,
    session.blueprint,
    account.blueprint,
    users.blueprint,
    members.blueprint,
    audit.blueprint,
    metrics.blueprint,
    reports.blueprint,
    runs.blueprint,
    cases.blueprint,
    shares.blueprint,
    classic.blueprint,
    api.blueprint,
    downloads.blueprint,
    people.blueprint,
    run_comparison.blueprint,
    what_if.blueprint,
    uploads.blueprint,
    checks.blueprint,
    upload_files.blueprint,
    courses.blueprint,
    assignments.blueprint,
    course_archives.blueprint,
)


def create_app(config: Config, store: Store) -> Flask:
    """The web app that serves this store."""
    app = Flask("moss.web", template_folder=str(TEMPLATES), static_folder=None)
    secret = secret_of(store)
    app.extensions["moss"] = ServerContext(config, store, secret)
    app.secret_key = secret  # signs Flask's own cookie, which carries messages to the next page
    app.config.update(SESSION_COOKIE_NAME="moss-messages", SESSION_COOKIE_SECURE=config.is_secure,
                      SESSION_COOKIE_SAMESITE="Lax")  # fmt: skip
    app.config["MAX_CONTENT_LENGTH"] = _FORM_BYTES
    app.config["MAX_FORM_MEMORY_SIZE"] = _FORM_BYTES
    _add_templates(app)
    _add_surroundings(app)
    add_error_pages(app)
    limit_numbers(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    check_routes(app)
    if config.proxies:
        hops = config.proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, hops, hops, hops, hops, hops)  # type: ignore[method-assign]
    return app


def _add_surroundings(app: Flask) -> None:
    """Register what runs before and after each view. Flask calls the functions after a view in reverse order."""
    app.before_request(_mark_api)
    app.before_request(refuse_nul)
    app.before_request(_refuse_without_room)
    app.before_request(recognise)
    app.before_request(check_form)
    app.before_request(lambda: authorise(app))
    app.before_request(close_other_pages)
    app.after_request(compress)
    app.after_request(metrics.count_answer)
    app.after_request(add_headers)
    app.after_request(give_cookie)
    app.after_request(settle)
    app.teardown_request(undo)


def _refuse_without_room() -> None:
    if (request.content_length or 0) > _SMALL_BYTES:
        must_have_room()


def _mark_api() -> None:
    g.is_api = request.path.startswith("/api/")


def _add_templates(app: Flask) -> None:
    app.jinja_options = dict(JINJA_OPTIONS)
    furnish(app.jinja_env)
    app.add_template_filter(language_title, "language")
    app.context_processor(
        lambda: {"visitor": visitor(), "form_field": form_field, "form_token": form_token, "may_teach": may_teach,
                 "asset": assets.asset_url, "version": __version__}
    )  # fmt: skip


def secret_of(store: Store) -> str:
    """The signing secret that all processes of this server share; the first process that needs it makes it."""
    try:
        with store.session() as session:
            found = session.get(ServerValueRow, "signing")
            if found is None:
                found = ServerValueRow(name="signing", value=secrets.token_urlsafe(48))
                session.add(found)
            return found.value
    except IntegrityError:  # another process was faster
        with store.reading() as session:
            return session.get_one(ServerValueRow, "signing").value
