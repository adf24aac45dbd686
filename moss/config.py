"""Config: everything about a server that its operator can choose, as options or in the environment.

Each field is a setting: `public_url` is the option `--public-url` and the variable `MOSS_PUBLIC_URL`. The help texts
here are those of `moss serve --help`.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from moss.messages import gettext

MIB = 1024 * 1024
LEAST_MEGABYTES = 512  # of memory that a job needs to start
_EVERYWHERE = ("0.0.0.0", "::")  # addresses for listening, to which nobody can connect
WIRE_IDS = ("auto", "any", "issued")

_SCHEMES = {
    "public_url": ("http", "https"),
    "wire_url": ("http", "https"),
    "database_url": ("postgresql", "postgres", "postgresql+psycopg", "sqlite"),
    "mail_url": ("smtp", "smtps"),
}


class ConfigError(ValueError):
    """A setting that is not possible; the message is one sentence for the operator."""


def _setting(default: Any, help: str, *, secret: bool = False, pages: bool = False) -> Any:
    """A setting with its default and help text; those for `pages` mean nothing to a worker."""
    return field(default=default, metadata={"help": help, "secret": secret, "pages": pages}, repr=not secret)


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a server."""

    data: Path = _setting(Path("moss-data"), "folder for the embedded database and for corpora")
    host: str = _setting("127.0.0.1", "address to listen on; 0.0.0.0 for all", pages=True)
    port: int = _setting(8000, "port of the web pages and the API", pages=True)
    public_url: str = _setting("", "address of the server as its users see it, such as https://moss.example.org")
    database_url: str = _setting(
        "", "database: postgresql://user:password@host/name (default: a SQLite file in the data folder)", secret=True
    )
    workers: int = _setting(1, "jobs that a worker does at a time, besides one short job")
    threads: int = _setting(8, "requests to answer at a time", pages=True)
    connections_per_address: int = _setting(
        100, "open connections allowed from one address; behind a proxy, let the proxy limit them", pages=True
    )
    proxies: int = _setting(
        0, "number of reverse proxies in front of the server, whose X-Forwarded headers are trusted", pages=True
    )
    upload_megabytes: int = _setting(512, "largest upload, all files together")
    reserve_megabytes: int = _setting(200, "disk space to keep free, so that deleting always works")
    uploads_per_hour: int = _setting(60, "uploads that one user may start in an hour", pages=True)
    logins_per_quarter: int = _setting(
        10,
        "failed log-ins allowed from one address in fifteen minutes; three times as many slow down an account",
        pages=True,
    )
    session_days: int = _setting(14, "days after which an unused log-in ends", pages=True)
    retention_days: int = _setting(
        0, "days after which work in a new course is deleted; each course can change this; 0: never"
    )
    job_megabytes: int = _setting(4096, "memory that each process of a job may use")
    job_minutes: int = _setting(120, "time that one job may take")
    lease_seconds: int = _setting(20, "seconds without a sign of life after which a worker counts as dead")
    metrics_token: str = _setting(
        "", "token that lets a program read /metrics without an account (default: administrators only)", secret=True,
        pages=True,
    )  # fmt: skip
    webhooks_private: bool = _setting(False, "allow webhooks to private and loopback addresses")
    mail_url: str = _setting("", "mail server for notices: smtp://user:password@host:587 or smtps://…", secret=True)
    mail_from: str = _setting("", "sender of notices, such as moss@example.org")
    oidc_issuer: str = _setting("", "OpenID Connect: address of the identity provider", pages=True)
    oidc_client_id: str = _setting("", "OpenID Connect: this server's client id", pages=True)
    oidc_client_secret: str = _setting("", "OpenID Connect: this server's client secret", secret=True, pages=True)
    oidc_name: str = _setting(
        "your institution", "OpenID Connect: name of the provider on the log-in button", pages=True
    )
    oidc_create: bool = _setting(
        False, "OpenID Connect: create an account for everyone who logs in with the provider", pages=True
    )
    wire_port: int = _setting(7690, "port for MOSS's submit scripts; 0: none", pages=True)
    wire_host: str = _setting(
        "", "address to listen on for submit scripts (default: that of the web pages)", pages=True
    )
    wire_url: str = _setting(
        "", "start of the result addresses that submit scripts print (default: the public address)",
        pages=True,
    )  # fmt: skip
    wire_ids: str = _setting(
        "auto",
        "ids that submit scripts may use: any, issued (by `moss admin`), or auto, which means any if only this machine "
        "can connect",
        pages=True,
    )
    wire_clients: int = _setting(200, "submit scripts connected at a time; as many again may wait", pages=True)
    wire_clients_per_address: int = _setting(150, "submit scripts connected at a time from one address", pages=True)
    wire_files: int = _setting(20_000, "most files in one job of a submit script", pages=True)
    wire_file_megabytes: int = _setting(16, "largest file in a job of a submit script", pages=True)
    wire_idle_seconds: int = _setting(60, "seconds of silence after which a submit script is disconnected",
                                      pages=True)  # fmt: skip
    wire_upload_minutes: int = _setting(30, "time that a submit script may take to send everything", pages=True)
    wire_answer_minutes: int = _setting(120, "time that a submit script may wait for its result", pages=True)
    jobs_per_day: int = _setting(
        100,
        "jobs that one user of submit scripts may start per day, or one address if any id is accepted",
        pages=True,
    )
    jobs_at_once: int = _setting(20, "waiting and running jobs of one user of submit scripts", pages=True)
    jobs_waiting: int = _setting(1000, "waiting and running jobs of all submit scripts", pages=True)
    results_days: int = _setting(14, "days after which results of submit scripts are deleted; 0: never", pages=True)

    def __post_init__(self) -> None:
        for name, value in ((each.name, getattr(self, each.name)) for each in fields(self)):
            if name.endswith("_url") and value:
                _known_scheme(name, value)
        for name in ("workers", "threads", "connections_per_address", "upload_megabytes", "uploads_per_hour",
                     "logins_per_quarter", "session_days", "job_minutes", "lease_seconds", "wire_clients",
                     "wire_clients_per_address", "wire_files",
                     "wire_file_megabytes", "wire_idle_seconds", "wire_upload_minutes", "wire_answer_minutes",
                     "jobs_per_day", "jobs_at_once", "jobs_waiting"):  # fmt: skip
            _at_least(name, getattr(self, name), 1)
        for name in ("retention_days", "proxies", "results_days", "reserve_megabytes"):
            _at_least(name, getattr(self, name), 0)
        _at_least("job_megabytes", self.job_megabytes, LEAST_MEGABYTES)
        for name in ("port", "wire_port"):
            _is_port(name, getattr(self, name))
        if self.wire_ids not in WIRE_IDS:
            raise ConfigError(
                gettext(
                    "wire-ids must be one of %(choices)s, not %(value)r",
                    choices=", ".join(WIRE_IDS),
                    value=self.wire_ids,
                )
            )
        if bool(self.oidc_issuer) != bool(self.oidc_client_id):
            raise ConfigError(gettext("oidc-issuer and oidc-client-id must be given together"))
        if self.mail_url and not self.mail_from:
            raise ConfigError(gettext("mail-url needs mail-from"))

    @property
    def database(self) -> str:
        """The database's address, as SQLAlchemy takes it."""
        if not self.database_url:
            return f"sqlite:///{self.data.absolute() / 'moss.sqlite3'}"
        scheme, separator, rest = self.database_url.partition("://")
        return f"postgresql+psycopg{separator}{rest}" if scheme in ("postgres", "postgresql") else self.database_url

    @property
    def base_url(self) -> str:
        """The address that readers type, without a slash at the end."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return (self.public_url or f"http://{shown}:{self.port}").rstrip("/")

    @property
    def results_url(self) -> str:
        """The beginning of the addresses of results that clients of MOSS's protocol get."""
        if self.wire_url or self.public_url or self.host not in _EVERYWHERE:
            return (self.wire_url or self.base_url).rstrip("/")
        return f"http://{socket.getfqdn()}:{self.port}"

    @property
    def is_secure(self) -> bool:
        """Whether readers come by HTTPS, so that cookies may require it."""
        return self.base_url.startswith("https://")


def _known_scheme(name: str, url: str) -> None:
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in _SCHEMES[name]:
        wanted = " or ".join(f"{each}://" for each in _SCHEMES[name])
        raise ConfigError(gettext("%(name)s must begin with %(wanted)s", name=name.replace("_", "-"), wanted=wanted))


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ConfigError(
            gettext(
                "%(name)s must be at least %(least)s, not %(value)s",
                name=name.replace("_", "-"),
                least=least,
                value=value,
            )
        )


def _is_port(name: str, value: int) -> None:
    if not 0 <= value <= 65535:
        raise ConfigError(
            gettext("%(name)s must be between 0 and 65535, not %(value)s", name=name.replace("_", "-"), value=value)
        )


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"MOSS_{name.upper()}"


def environment_of(config: Config) -> dict[str, str]:
    """The settings as environment variables, for a process that is to run with the same settings."""
    return {variable(each.name): str(getattr(config, each.name)) for each in fields(config)}


def from_environment(environment: Mapping[str, str]) -> Config:
    """The settings in these variables."""
    given: dict[str, Any] = {}
    for each in fields(Config):
        if variable(each.name) in environment:
            given[each.name] = _parsed(each.name, environment[variable(each.name)], type(each.default))
    return Config(**given)


def _parsed(name: str, text: str, kind: type) -> Any:
    if kind is bool:
        return _truth(name, text.strip().lower())
    try:
        return Path(text) if issubclass(kind, Path) else int(text) if kind is int else text
    except ValueError:
        raise ConfigError(
            gettext("%(name)s must be a whole number, not %(text)r", name=variable(name), text=text)
        ) from None


def _truth(name: str, word: str) -> bool:
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("", "0", "false", "no", "off"):
        return False
    raise ConfigError(gettext("%(name)s must be yes or no, not %(word)r", name=variable(name), word=word))
