"""The web app as people use it: `moss serve` as a process of its own, and what somebody does before a browser."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from support.accounts import PASSWORD
from support.serving import serving_alone

_PLACE = ("--port", "0", "--wire-port", "0")
SLOW = 600_000  # milliseconds that a job may take on a machine with other things to do

_DROPPED = """([name, content]) => {
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name));
    return transfer;
}"""


@contextmanager
def serving_app(folder: Path) -> Iterator[str]:
    """`moss serve` on a free port of loopback, with SQLite in this folder and a worker; its address."""
    command = [sys.executable, "-m", "moss", "serve", *_PLACE, "--data", str(folder)]
    process = subprocess.Popen(command, env=_clean(), stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield _address(process.stdout)
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def serving_pages(folder: Path) -> Iterator[str]:
    """The server without a worker, which is there at once."""
    with serving_alone(*_PLACE, "--data", str(folder), environment=_clean()) as process:
        assert process.output is not None
        yield _address(process.output)


def _clean() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("MOSS_")}


def _address(output: IO[str]) -> str:
    """The address that a server tells, perhaps after a warning."""
    said = ""
    for line in output:
        said += line
        if found := re.match(r"Open (http://\S+) in a browser", line):
            return found[1]
    raise AssertionError(said)


def log_in(page, email: str, password: str = PASSWORD) -> None:
    """Log in on the page that asks for it."""
    page.get_by_label("Email address").fill(email)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Log in").click()
    page.locator(".topbar .account").wait_for()


def log_out(page) -> None:
    """Log out."""
    open_account_menu(page)
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("heading", name="Log in").wait_for()


def open_account_menu(page) -> None:
    """Open the menu at the end of the top bar."""
    page.locator(".topbar .menu > summary").click()


def join(page, name: str) -> None:
    """Fill in the page of an invitation."""
    page.get_by_label("Your name").fill(name)
    for label in ("Password", "Password again"):
        page.get_by_label(label, exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Join").click()
    page.locator(".topbar .account").wait_for()


def wait_for_upload(page) -> None:
    """Wait until the script of the form for uploads is there, which takes what is chosen or dropped."""
    page.locator("form.upload.scripted").wait_for(state="attached")


def choose_files(page, files: Mapping[str, bytes], role: str = "new") -> None:
    """Choose files by the button of a zone."""
    wait_for_upload(page)
    given = [{"name": name, "mimeType": "application/zip", "buffer": content} for name, content in files.items()]
    page.set_input_files(f"input[name={role}]", given)


def drop_file(page, zone: str, name: str, content: bytes) -> None:
    """Drag a file over a zone and let it go there."""
    wait_for_upload(page)
    transfer = page.evaluate_handle(_DROPPED, [name, base64.b64encode(content).decode()])
    for event in ("dragover", "drop"):
        page.dispatch_event(f"[data-role={zone}]", event, {"dataTransfer": transfer})


def send_files(page) -> None:
    """Upload what was chosen to be confirmed first, and wait until it has been recognised."""
    page.get_by_label("Let me confirm what was found before it is compared").check()
    page.get_by_role("button", name="Upload and compare").click()
    page.get_by_role("button", name=re.compile("^Confirm")).wait_for(timeout=SLOW)


def confirm(page) -> None:
    """Confirm what was recognised."""
    page.get_by_role("button", name=re.compile("^Confirm")).click()
    page.wait_for_url(re.compile(r"/assignments/\d+/$"))


def start_run(page) -> None:
    """Compare, and wait on the page that shows how far it is until it has become the report."""
    again = page.get_by_role("link", name="Run again")
    if again.count():
        again.click()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url(re.compile(r"/runs/\d+/progress$"))
    page.locator("#pairs-table").wait_for(timeout=SLOW)


def tab_to(page, target) -> None:
    """Press Tab until something has the focus, as who has no mouse must."""
    for _ in range(300):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"the keyboard does not lead to {target}")
