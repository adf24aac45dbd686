#!/usr/bin/env python3
"""Send programs to a moss server to be compared, and print the address of the report.

    moss-submit -l java -d -b starter/Main.java homework1/*/*.java

It needs nothing but Python 3.8 or newer. Create a token on your account's page on the server, and put it into the file
~/.config/moss/token, or another one with --token-file, or set MOSS_TOKEN. If the connection breaks, the script
continues where it was, and the server does only one job however often it tries.

Exit status: 0 the report is there (with --no-wait: the job is accepted), 1 the server refused or the job failed,
2 wrong usage, 75 the server could not be reached or did not finish in time, so try again later.
"""

# This file is both a module of moss and the script that servers hand out, so it has nothing but the standard library.

from __future__ import annotations

import argparse
import glob
import hashlib
import http.client
import json
import os
import secrets
import ssl
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

SERVER = ""

DONE, FAILED, MISUSED, LATER, INTERRUPTED = 0, 1, 2, 75, 130
TOKEN_FILE = Path("~/.config/moss/token")

_PIECE = 1024 * 1024  # bytes read at a time
_PATIENCE = 60.0  # seconds that one answer may take
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0  # seconds between two attempts: at first, and at last
_TEMPORARY = (408, 429, 500, 502, 503, 504)
_LOOK_EVERY = (0.3, 5.0)  # seconds between two checks of a job: at first, and at last


class SubmitError(Exception):
    """The reason why there is no report, in one sentence, and the exit status."""

    def __init__(self, sentence: str, status: int = FAILED) -> None:
        super().__init__(sentence)
        self.status = status


class RetryableError(Exception):
    """A failure that another attempt may mend; `pause` is how long the server asks to wait."""

    def __init__(self, sentence: str, pause: float = 0.0) -> None:
        super().__init__(sentence)
        self.pause = pause


@dataclass(frozen=True)
class PackedFiles:
    """The files, one after another in a temporary file, so that later changes to them do no harm."""

    files: list[dict[str, Any]]
    content: IO[bytes]
    sha256: str
    size: int


@dataclass
class Screen:
    """Shows progress and problems on standard error, progress only on a terminal."""

    quiet: bool
    _shown: bool = False

    def progress(self, text: str) -> None:
        """Show how far it is, in place of the last progress."""
        if not self.quiet and sys.stderr.isatty():
            sys.stderr.write("\r\033[K" + text)
            sys.stderr.flush()
            self._shown = True

    def note(self, text: str) -> None:
        """Print something that stays."""
        self.clear()
        if not self.quiet:
            sys.stderr.write(f"moss-submit: {text}\n")

    def clear(self) -> None:
        """Remove the progress."""
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self._shown = False


class _StayHere(urllib.request.HTTPRedirectHandler):
    """Follows no redirection, because a token is for one server only."""

    def redirect_request(self, *arguments: Any) -> None:
        """Do not follow."""
        return


@dataclass
class Client:
    """Asks one server, several times if necessary: every request may be repeated."""

    server: str
    token: str
    patience: float  # seconds for which to try
    screen: Screen

    def __post_init__(self) -> None:
        self._opener = urllib.request.build_opener(_StayHere)

    def ask(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> dict[str, Any]:
        """The server's answer; raises SubmitError if it refuses, or cannot be reached for too long."""
        end, pause = time.monotonic() + self.patience, _FIRST_PAUSE
        while True:
            try:
                return self._ask_once(method, path, body, kind)
            except RetryableError as trouble:
                wait = max(pause, trouble.pause)
                if time.monotonic() + wait > end:
                    raise SubmitError(str(trouble), LATER) from None
                self.screen.note(f"{trouble}; trying again in {wait:.0f} seconds")
                time.sleep(wait * (0.8 + 0.4 * secrets.randbelow(1000) / 1000))  # not all scripts at once
                pause = min(2 * pause, _LONGEST_PAUSE)

    def _ask_once(self, method: str, path: str, body: bytes | None, kind: str) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind, "User-Agent": "moss-submit"}
        request = urllib.request.Request(f"{self.server}/api/v1{path}", body, headers, method=method)
        try:
            with self._opener.open(request, timeout=_PATIENCE) as answer:
                found = json.loads(answer.read())
        except urllib.error.HTTPError as error:
            self._refused(error)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._unreachable(error)
        return found if isinstance(found, dict) else {}

    def _refused(self, error: urllib.error.HTTPError) -> NoReturn:
        if error.code in _TEMPORARY:
            asked = error.headers.get("Retry-After", "")
            raise RetryableError(f"the server says: {_sentence(error)}", float(asked) if asked.isdigit() else 0.0)
        if 300 <= error.code < 400:
            where = error.headers.get("Location")
            raise SubmitError(f"the server has moved to {where}: use that with --server", MISUSED)
        if error.code == 401:
            raise SubmitError("the server does not accept this token: create a new one on your account's page", MISUSED)
        raise SubmitError(f"the server says: {_sentence(error)}")

    def _unreachable(self, error: Exception) -> NoReturn:
        reason = getattr(error, "reason", error)
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise SubmitError(f"{self.server} cannot be trusted: {reason.verify_message}")
        if isinstance(error, json.JSONDecodeError):
            raise SubmitError(f"{self.server} is not a moss server", MISUSED)
        raise RetryableError(f"{self.server} cannot be reached ({reason or type(reason).__name__})")


def _sentence(error: urllib.error.HTTPError) -> str:
    """The sentence in a server's error."""
    try:
        return str(json.loads(error.read())["error"]["message"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return f"{error.code} {error.reason}"


def bring(base: list[str], names: list[str], screen: Screen) -> PackedFiles:
    """Read all files; raises SubmitError if one cannot be read."""
    content, digest = tempfile.TemporaryFile(), hashlib.sha256()  # noqa: SIM115 - closed with the process
    files: list[dict[str, Any]] = []
    listed = [(0, name) for name in base] + list(enumerate(names, 1))
    for program, name in listed:
        size = _copy(name, content, digest.update)
        if size:
            shown = name.replace("\\", "/").encode("utf-8", "replace").decode()
            files.append({"name": shown, "program": program, "size": size})
        else:
            screen.note(f"{name} is empty, and ignored")
    if not any(file["program"] for file in files):
        raise SubmitError("there is nothing to compare: all files are empty", MISUSED)
    return PackedFiles(files, content, digest.hexdigest(), content.tell())


def _copy(name: str, content: IO[bytes], tell: Callable[[bytes], None]) -> int:
    size = 0
    try:
        with open(name, "rb") as file:
            for piece in iter(lambda: file.read(_PIECE), b""):
                content.write(piece)
                tell(piece)
                size += len(piece)
    except OSError as error:
        raise SubmitError(f"cannot read {name}: {(error.strerror or str(error)).lower()}", MISUSED) from None
    return size


def send(client: Client, brought: PackedFiles, wanted: argparse.Namespace) -> dict[str, Any]:
    """Send the files and start their job; returns the job's state."""
    body = {
        "key": wanted.key, "language": wanted.language, "directory": wanted.directory, "comment": wanted.comment,
        "max_matches": wanted.max_matches, "show": wanted.show, "files": brought.files, "sha256": brought.sha256,
    }  # fmt: skip
    drop = client.ask("POST", "/drops", json.dumps(body).encode())
    while drop["state"] == "receiving":
        missing, chunk = drop["missing"], drop["chunk"]
        for start in missing:
            client.screen.progress(f"Sending {len(brought.files)} files: {start * 100 // brought.size}%")
            brought.content.seek(start)
            piece = brought.content.read(chunk)
            client.ask("PUT", f"/drops/{drop['id']}/content?start={start}", piece, "application/octet-stream")
        drop = client.ask("POST", f"/drops/{drop['id']}/finish", b"{}")
    return drop


def wait(client: Client, drop: dict[str, Any], timeout: float) -> dict[str, Any]:
    """Wait until the job is over."""
    end, pause = time.monotonic() + timeout, _LOOK_EVERY[0]
    while drop["state"] in ("queued", "running"):
        if time.monotonic() + pause > end:
            words = f"the job is not finished after {timeout:g} seconds; its report will be at {drop['report']}"
            raise SubmitError(words, LATER)
        client.screen.progress(_standing(drop))
        time.sleep(pause)
        pause = min(1.3 * pause, _LOOK_EVERY[1])
        drop = client.ask("GET", f"/drops/{drop['id']}")
    if drop["state"] != "done":
        raise SubmitError(f"the job failed: {drop['reason'] or 'it was cancelled'}")
    return drop


def _standing(drop: dict[str, Any]) -> str:
    amount = f" {drop['done']:,} of {drop['total']:,}" if drop["total"] else ""
    return f"{drop['stage'].capitalize() or 'Waiting for a worker'}{amount} …"


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(program, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="a program; with -d, the files of each directory are one program")
    add("-l", dest="language", default="auto", metavar="LANGUAGE", help="language of all files (by file extension)")
    add("-d", dest="directory", action="store_true", help="treat the files of each directory as one program")
    add("-b", dest="base", action="append", default=[], metavar="FILE", help="starter code to ignore; repeatable")
    add("-m", dest="max_matches", type=int, default=10, metavar="N",
        help="ignore passages shared by more than N programs (10)")  # fmt: skip
    add("-n", dest="show", type=int, default=250, metavar="N", help="pairs to show (250)")
    add("-c", dest="comment", default="", metavar="TEXT", help="text to show in the report")
    add("-x", dest="experimental", action="store_true", help="accepted as in MOSS's script; it does nothing")
    add("-s", "--server", default=os.environ.get("MOSS_SERVER") or SERVER, metavar="URL",
        help=f"the server ({SERVER or 'MOSS_SERVER'})")  # fmt: skip
    add("--token-file", type=Path, metavar="FILE", help=f"where the token is (MOSS_TOKEN, or {TOKEN_FILE})")
    add("--key", default="", metavar="TEXT", help="a name for this job; the same name again gives the same job")
    add("--wait", action="store_true", default=True, help="wait for the report (the default)")
    add("--no-wait", dest="wait", action="store_false", help="print the address of the report, and don't wait for it")
    add("--timeout", type=float, default=24 * 3600.0, metavar="SECONDS", help="how long to wait for the report (a day)")
    add("--retry", type=float, default=300.0, metavar="SECONDS", help="how long to retry if the server is down (300)")
    add("--json", action="store_true", help="print one line of JSON")
    add("-q", "--quiet", action="store_true", help="print only the address of the report, or the error")
    return parser


def _token(wanted: argparse.Namespace) -> str:
    given = os.environ.get("MOSS_TOKEN", "").strip()
    if given and wanted.token_file is None:
        return given
    path = (wanted.token_file or TOKEN_FILE).expanduser()
    try:
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        raise SubmitError(f"there is no token: set MOSS_TOKEN, or put it into {path}", MISUSED) from None
    if not token.isascii() or not token.isprintable() or not token:
        raise SubmitError(f"{path} has no token in it", MISUSED)
    return token


def _checked_server(server: str) -> str:
    if not server.startswith(("http://", "https://")):
        raise SubmitError("name the server with --server or MOSS_SERVER, such as https://moss.example.org", MISUSED)
    return server.rstrip("/")


def _expanded(names: list[str]) -> list[str]:
    """The names, with patterns expanded that the shell has left, as on Windows."""
    return [each for name in names for each in (sorted(glob.glob(name)) if _is_pattern(name) else [name])]


def _is_pattern(name: str) -> bool:
    return any(letter in name for letter in "*?[") and not os.path.exists(name) and bool(glob.glob(name))


def _carry_out(wanted: argparse.Namespace, screen: Screen) -> dict[str, Any]:
    client = Client(_checked_server(wanted.server), _token(wanted), wanted.retry, screen)
    brought = bring(_expanded(wanted.base), _expanded(wanted.files), screen)
    drop = send(client, brought, wanted)
    return wait(client, drop, wanted.timeout) if wanted.wait else drop


def main(arguments: list[str] | None = None, program: str = "moss-submit") -> int:
    """Do what the command line says; returns the exit status."""
    wanted = _parser(program).parse_args(arguments)
    wanted.key = wanted.key or secrets.token_hex(16)
    screen = Screen(wanted.quiet or wanted.json)
    found: dict[str, Any] = {}
    error, status = "", DONE
    try:
        found = _carry_out(wanted, screen)
    except SubmitError as wrong:
        error, status = str(wrong), wrong.status
    except KeyboardInterrupt:
        error, status = f"interrupted; to continue, add --key {wanted.key}", INTERRUPTED
    screen.clear()
    _print(wanted, found, error)
    return status


def _print(wanted: argparse.Namespace, found: dict[str, Any], error: str) -> None:
    if wanted.json:
        told = {name: found.get(name) for name in ("id", "state", "report", "classic")}
        print(json.dumps({**told, "key": wanted.key, "error": error or None}))
    elif error:
        print(f"moss-submit: {error}", file=sys.stderr)
    else:
        print(found["report"])


def source() -> str:
    """The text of this file."""
    return Path(__file__).read_text(encoding="utf-8")


def for_server(text: str, server: str) -> str:
    """The script for the users of this server."""
    return text.replace('\nSERVER = ""\n', f"\nSERVER = {json.dumps(server)}\n", 1)


if __name__ == "__main__":
    sys.exit(main())
