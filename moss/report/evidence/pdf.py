"""Evidence on paper: the page printed to a PDF by a browser of this machine, which needs no window and no network."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from moss.messages import gettext
from moss.report.evidence.document import EvidenceError

BROWSERS = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
    "microsoft-edge", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)  # fmt: skip
"""Programs that print a page without a window, the leanest first."""

INSTALL = "printing needs a browser: install Chromium or Chrome (Debian: apt install chromium-headless-shell)"
_SECONDS = 120  # a large pair takes a few
_SWITCHES = (
    "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-pdf-header-footer", "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip


def find_browser() -> str | None:
    """The program that prints; None if there is none on this machine."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def print_pdf(page: str, browser: str | None = None) -> bytes:
    """A page of evidence as a PDF."""
    program = browser or find_browser()
    if program is None:
        raise EvidenceError(INSTALL)
    with TemporaryDirectory(prefix="moss-pdf-") as folder:
        source, target = Path(folder, "evidence.html"), Path(folder, "evidence.pdf")
        source.write_text(page, encoding="utf-8", errors="replace")
        _run([program, *_SWITCHES, *_switches_of_root(), f"--user-data-dir={folder}/profile",
              f"--print-to-pdf={target}", source.as_uri()])  # fmt: skip
        if not target.is_file():
            raise EvidenceError(gettext("%(program)s printed nothing", program=program))
        return target.read_bytes()


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=True)
    except subprocess.TimeoutExpired:
        raise EvidenceError(
            gettext(
                "%(command)s had not finished printing after %(seconds)s seconds", command=command[0], seconds=_SECONDS
            )
        ) from None
    except (OSError, subprocess.CalledProcessError) as error:
        raise EvidenceError(
            gettext("%(command)s could not print: %(error)s", command=command[0], error=error)
        ) from None


def _switches_of_root() -> list[str]:
    """Chromium has no sandbox for root, and refuses to start without being told so."""
    return ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
