"""Make the pictures of the web app for the documentation: fill a server, start it, and photograph its pages.

    python docs/screenshots_app.py [NAME ...]     # or make pictures, for all of both scripts

It needs what docs/screenshots.py needs; the server is the one on which the browser tests look at every page.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from screenshots import IMAGES, PHONE, PROGRAMS, ROOT, SWITCHES, TABLET, WIDE, print_page

sys.path.insert(0, str(ROOT / "tests"))
from browser.app import serving_app
from browser.furnishing import PASSWORD, STAFF, furnish


@dataclass(frozen=True)
class Picture:
    """What to photograph, and how."""

    name: str
    page: str
    who: str = "instructor"
    size: tuple[int, int] = WIDE
    dark: bool = False
    at: str = ""  # what to scroll to
    open: str = ""  # what to click first
    fill: tuple[tuple[str, str], ...] = ()  # what to type first, and where
    paper: int = 0  # which page of paper
    new: bool = False  # on a server that nobody has set up


PICTURES = (
    Picture("app-setup", "/setup", who="", new=True),
    Picture("app-login", "/login", who="", size=(1280, 620)),
    Picture("app-home", "/"),
    Picture("app-home-dark", "/", dark=True),
    Picture("app-home-phone", "/", size=PHONE),
    Picture("app-courses", "/courses/"),
    Picture("app-course", "/courses/1/"),
    Picture("app-cases", "/courses/1/cases"),
    Picture("app-roster", "/courses/1/roster"),
    Picture("app-assignment", "/assignments/1/"),
    Picture("app-assignment-phone", "/assignments/1/", size=PHONE),
    Picture("app-check", "/assignments/2/check"),
    Picture("app-upload", "/assignments/4/", size=(1280, 760)),
    Picture("app-upload-review", "/uploads/5/", size=(1280, 1080)),
    Picture("app-upload-review-dark", "/uploads/5/", dark=True, size=(1280, 1080)),
    Picture("app-upload-review-phone", "/uploads/5/", size=PHONE, at="#submissions"),
    Picture("app-run-new", "/assignments/2/runs/new"),
    Picture("app-run-progress", "/runs/4/progress", size=(1280, 620)),
    Picture("app-run-progress-phone", "/runs/4/progress", size=PHONE),
    Picture("app-run-failed", "/runs/5/progress", size=(1280, 620)),
    Picture("app-overview", "/runs/2/", at="#pairs"),
    Picture("app-overview-tablet", "/runs/2/", size=TABLET),
    Picture("app-overview-phone", "/runs/2/", size=PHONE, at="#pairs"),
    Picture("app-pair", "/runs/2/pairs/1", open="#case summary"),
    Picture("app-pair-dark", "/runs/2/pairs/1", open="#case summary", dark=True),
    Picture("app-pair-tablet", "/runs/2/pairs/1", size=TABLET),
    Picture("app-pair-phone", "/runs/2/pairs/1", open="#case summary", size=PHONE, at="#case"),
    Picture("app-case", "/cases/1/"),
    Picture("app-case-print", "/cases/1/", paper=1),
    Picture("app-what-if", "/runs/2/what-if", fill=(("[name=max_matches]", "3"),)),
    Picture("app-what-if-phone", "/runs/2/what-if", fill=(("[name=max_matches]", "3"),), size=PHONE),
    Picture("app-compare-runs", "/runs/2/compared-with/1"),
    Picture("app-compare-runs-phone", "/runs/2/compared-with/1", size=PHONE),
    Picture("app-people", "/courses/1/people"),
    Picture("app-people-dark", "/courses/1/people", dark=True),
    Picture("app-people-phone", "/courses/1/people", size=PHONE),
    Picture("app-person", "/people/1/"),
    Picture("app-person-tablet", "/people/1/", size=TABLET),
    Picture("app-passage", "/runs/2/pairs/8/passages/1/elsewhere", open="main .found summary"),
    Picture("app-share", "/runs/2/shares", size=(1280, 800)),
    Picture("app-members", "/courses/1/members"),
    Picture("app-settings", "/courses/1/settings"),
    Picture("app-settings-phone", "/courses/1/settings", size=PHONE),
    Picture("app-export", "/courses/1/export", size=(1280, 620)),
    Picture("app-erase", "/people/1/erase", size=(1280, 720)),
    Picture("app-notices", "/notices", size=(1280, 520)),
    Picture("app-account", "/account", at="#tokens"),
    Picture("app-users", "/users", who="administrator"),
    Picture("app-audit", "/audit", who="administrator"),
)


def enter(browser: Browser, origin: str, who: str, picture: Picture) -> BrowserContext:
    """A window of the picture's size and colours, in which somebody is logged in."""
    width, height = picture.size
    is_phone = picture.size == PHONE
    context = browser.new_context(
        base_url=origin,
        viewport={"width": width, "height": height},
        color_scheme="dark" if picture.dark else "light",
        reduced_motion="reduce",
        is_mobile=is_phone,
        has_touch=is_phone,
    )
    if who:
        context.add_cookies(logged_in(browser, origin, who))
    return context


def logged_in(browser: Browser, origin: str, who: str, known: dict[str, list] = {}) -> list:  # noqa: B006
    """The cookies of somebody who has logged in, once for all pictures."""
    if who not in known:
        page = browser.new_page(base_url=origin)
        page.goto("/login")
        page.fill("#email", STAFF[who][1])
        page.fill("#password", PASSWORD)
        page.click("main button[type=submit]")
        known[who] = page.context.cookies()
        page.close()
    return known[who]


def take(browser: Browser, origin: str, picture: Picture) -> Path:
    """Photograph one page."""
    with enter(browser, origin, picture.who, picture) as context:
        page = context.new_page()
        page.goto(picture.page)
        prepare(page, picture)
        target = IMAGES / f"{picture.name}.png"
        if picture.paper:
            print_page(page, picture.paper, target)
        else:
            page.screenshot(path=target)
    subprocess.run(["pngquant", "--force", "--ext=.png", "--speed=1", "--strip", "128", str(target)], check=True)
    return target


def prepare(page: Page, picture: Picture) -> None:
    """Click, type and scroll as the picture wants it."""
    if picture.open:
        page.click(picture.open)
    for place, text in picture.fill:
        page.fill(place, text)
        page.wait_for_selector(".slopes")
    if picture.at:
        page.locator(picture.at).evaluate("element => element.scrollIntoView({ block: 'start' })")
    page.wait_for_timeout(300)  # for what scripts draw


def main(names: list[str]) -> None:
    """Make the pictures with these names, or all."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None or not all(map(shutil.which, ("pdftoppm", "pngquant"))):
        sys.exit("Tools are missing: apt install chromium poppler-utils pngquant")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        furnish(folder, shown=40)
        full = stack.enter_context(serving_app(folder, "--no-worker"))
        empty = stack.enter_context(serving_app(folder / "new", "--no-worker"))
        browser = stack.enter_context(sync_playwright()).chromium.launch(executable_path=program, args=SWITCHES)
        for picture in PICTURES:
            if not names or picture.name in names:
                target = take(browser, empty if picture.new else full, picture)
                print(f"{target.stat().st_size / 1024:6.0f} kB  {target.relative_to(ROOT)}")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
