"""Metrics of the server in the text format of Prometheus, for monitoring."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from threading import Lock

from flask import Blueprint, Response, abort, current_app, request
from flask.typing import ResponseReturnValue
from sqlalchemy import func, make_url, select, text

from moss.config import MIB
from moss.jobs.disk_room import free_bytes
from moss.messages import gettext as _
from moss.store.queue_lanes import is_short
from moss.store.tables import JobRow, JobState, now
from moss.version import __version__
from moss.web.request.access import Right, access
from moss.web.request.context import db, server, visitor
from moss.web.request.limits import TURNS

blueprint = Blueprint("metrics", __name__)

_COUNTED = "moss-answers"
_LOCK = Lock()

Sample = tuple[Mapping[str, str], float]


def count_answer(response: Response) -> Response:
    """Count an answer of this process under its status."""
    with _LOCK:
        current_app.extensions.setdefault(_COUNTED, Counter())[response.status_code] += 1
    return response


@blueprint.get("/metrics")
@access(Right.ANYONE)
def show() -> ResponseReturnValue:
    """All metrics, for administrators and for programs with the token that the operator chose."""
    user = visitor()
    if not _has_token() and not (user and user.administrator):
        abort(401, _("Only administrators, or programs with the token, can read these figures."))
    return Response("".join(_lines()), content_type="text/plain; version=0.0.4; charset=utf-8")


def _has_token() -> bool:
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    chosen = server().config.metrics_token
    return bool(chosen) and hmac.compare_digest(given.encode(errors="replace"), chosen.encode())


def _lines() -> Iterator[str]:
    yield from _family("moss_info", "gauge", "The version that runs.", [({"version": __version__}, 1)])
    yield from _family("moss_jobs", "gauge", "Jobs by kind and state.", _jobs())
    yield from _family("moss_job_waiting_seconds", "gauge", "For how long the oldest waiting job waits.", _waiting())
    with _LOCK:
        answers = sorted(current_app.extensions.get(_COUNTED, Counter()).items())
    statuses = [({"status": str(status)}, count) for status, count in answers]
    yield from _family("moss_http_responses_total", "counter", "Answers of this process by status.", statuses)
    yield from _family("moss_heavy_work", "gauge", "Evidence, previews and pages being made.", [({}, len(TURNS))])
    yield from _family("moss_database_bytes", "gauge", "Size of the database.", [({}, _database_bytes())])
    config = server().config
    yield from _family("moss_disk_free_bytes", "gauge", "Room on the data folder's disk.", [({}, free_bytes(config))])
    reserve = config.reserve_megabytes * MIB
    yield from _family("moss_disk_reserve_bytes", "gauge", "Room that is kept for deleting.", [({}, reserve)])


def _family(name: str, kind: str, help: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {help}\n# TYPE {name} {kind}\n"
    for labels, value in samples:
        shown = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"{name}{{{shown}}} {value:.15g}\n" if shown else f"{name} {value:.15g}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _jobs() -> Iterator[Sample]:
    query = (
        select(JobRow.kind, JobRow.state, func.count())
        .group_by(JobRow.kind, JobRow.state)
        .order_by(JobRow.kind, JobRow.state)
    )
    for kind, state, count in db().execute(query):
        yield {"kind": kind, "state": state.value}, count


def _waiting() -> Iterator[Sample]:
    """How long the oldest job of each lane has waited, in seconds; 0 if none waits."""
    oldest = {"short": 0.0, "long": 0.0}
    for job in db().scalars(select(JobRow).where(JobRow.state == JobState.QUEUED)):
        line = "short" if is_short(job) else "long"
        oldest[line] = max(oldest[line], (now() - job.created).total_seconds())
    for line, seconds in oldest.items():
        yield {"line": line}, seconds


def _database_bytes() -> int:
    store = server().store
    if not store.is_sqlite:
        return int(db().scalar(text("SELECT pg_database_size(current_database())")) or 0)
    file = make_url(store.url).database or ""
    return sum(path.stat().st_size for path in (Path(file), Path(f"{file}-wal")) if path.exists())
