"""Make the pictures of the documentation: compare the sample class, open its report in a browser, and photograph it.

    python docs/screenshots.py [NAME ...]     # or make pictures, for all of both scripts

It needs playwright, a browser, pdftoppm for paper, and pngquant for small files:
apt install chromium poppler-utils pngquant.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import moss
from moss.report.evidence.document import render_evidence
from moss.report.site import write_site

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "sample_submissions" / "java-library"
IMAGES = ROOT / "docs" / "images"
PROGRAMS = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome")
SWITCHES = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
WIDE, TABLET, PHONE = (1280, 860), (768, 1024), (390, 844)
PAIR = 4  # one with renamed copies and many passages


@dataclass(frozen=True)
class Picture:
    """What to photograph, and how."""

    name: str
    page: str
    keys: str = ""
    size: tuple[int, int] = WIDE
    dark: bool = False
    at: str = ""  # what to scroll to
    paper: int = 0  # which page of paper


PICTURES = (
    Picture("overview", "index.html"),
    Picture("overview-dark", "index.html", dark=True),
    Picture("overview-phone", "index.html", size=PHONE),
    Picture("overview-pairs", "index.html#standing=far"),
    Picture("overview-pairs-phone", "index.html", size=PHONE, at="#pairs"),
    Picture("clusters", "index.html#clusters"),
    Picture("clusters-phone", "index.html#clusters", size=PHONE, at="#clusters"),
    Picture("overview-print", "index.html", paper=1),
    Picture("pair", f"pairs/{PAIR:04}.html", keys="n"),
    Picture("pair-dark", f"pairs/{PAIR:04}.html", keys="n", dark=True),
    Picture("pair-exact", f"pairs/{PAIR:04}.html#m1/exact"),
    Picture("pair-diff", f"pairs/{PAIR:04}.html", keys="4"),
    Picture("pair-help", f"pairs/{PAIR:04}.html", keys="?"),
    Picture("pair-phone", f"pairs/{PAIR:04}.html", size=PHONE),
    Picture("pair-phone-code", f"pairs/{PAIR:04}.html#m1", size=PHONE, at="#texts"),
    Picture("pair-print", f"pairs/{PAIR:04}.html", paper=1),
    Picture("pair-print-code", f"pairs/{PAIR:04}.html", paper=6),
    Picture("submission", "submissions/0007.html"),
    Picture("submission-dark", "submissions/0007.html", dark=True),
    Picture("submission-phone", "submissions/0007.html", size=PHONE),
    Picture("evidence", "evidence.html"),
    Picture("evidence-phone", "evidence.html", size=PHONE),
    Picture("evidence-print", "evidence.html", paper=1),
    Picture("evidence-print-passages", "evidence.html", paper=3),
)


def make_report(folder: Path) -> None:
    """Write the report of the sample class, and the evidence of one pair."""
    settings = moss.Settings(comment="The sample class: a lending library in Java")
    report = moss.compare(
        [SAMPLE / "submissions"], base=[SAMPLE / "starter"], archive=[SAMPLE / "archive"], settings=settings
    )
    write_site(report, folder)
    note = "Both handed in on the last evening."
    (folder / "evidence.html").write_text(render_evidence(report, PAIR, note=note), encoding="utf-8")


def take(browser: Browser, folder: Path, picture: Picture) -> Path:
    """Photograph one page."""
    width, height = picture.size
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if picture.dark else "light",
        reduced_motion="reduce",
        is_mobile=picture.size == PHONE,
        has_touch=picture.size == PHONE,
    )
    page.goto(f"{folder.as_uri()}/{picture.page}")
    for key in picture.keys:
        page.keyboard.press(key)
    if picture.at:
        page.locator(picture.at).evaluate("element => element.scrollIntoView({ block: 'start' })")
    page.wait_for_timeout(200)  # for the connectors to be drawn
    target = IMAGES / f"{picture.name}.png"
    if picture.paper:
        print_page(page, picture.paper, target)
    else:
        page.screenshot(path=target)
    page.close()
    subprocess.run(["pngquant", "--force", "--ext=.png", "--speed=1", "--strip", "128", str(target)], check=True)
    return target


def print_page(page: Page, number: int, target: Path) -> None:
    """Photograph one page of paper."""
    paper = page.pdf(format="A4", prefer_css_page_size=True)
    command = ["pdftoppm", "-png", "-r", "80", "-f", str(number), "-l", str(number), "-singlefile", "-"]
    subprocess.run([*command, str(target.with_suffix(""))], input=paper, check=True)


def main(names: list[str]) -> None:
    """Make the pictures with these names, or all."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None or not all(map(shutil.which, ("pdftoppm", "pngquant"))):
        sys.exit("Tools are missing: apt install chromium poppler-utils pngquant")
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        make_report(Path(folder))
        browser = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        for picture in PICTURES:
            if not names or picture.name in names:
                target = take(browser, Path(folder), picture)
                print(f"{target.stat().st_size / 1024:6.0f} kB  {target.relative_to(ROOT)}")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
