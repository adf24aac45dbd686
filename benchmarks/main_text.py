"""What extractors leave of a page, and what detectors make of its language.

    python benchmarks/main_text.py [--pages 200] [--folders /usr/share/doc …]

Pages are built of Debian's documentation (apt install python3-doc developers-reference-de debian-faq-fr …): the body of
a page, as its generator marks it, is put into the layouts that sites have, with menus, advertisements, teasers, a
notice about cookies and a footer. So it is known word by word which text is the page's own. Recall is the share of the
body's runs of five words that an extractor leaves, precision the share of what it leaves that is of the body. Times are
CPU milliseconds for each page. Languages are those that the documentation's names say (`.de.html`, `/ja/`), of whole
bodies and of their first twenty words.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("/usr/share/doc", "/usr/share/developers-reference", "/usr/share/debian-reference")
_BODY = re.compile(r'<div [^>]*role="main"[^>]*>(.*?)<div class="clearer">|<body[^>]*>(.*?)</body>', re.S | re.I)
_CHROME = re.compile(r'<div class="(?:navheader|navfooter|related|sphinxsidebar)".*?</(?:table|ul)>\s*</div>', re.S)
_LANGUAGE = re.compile(r"[./](de|en|es|fr|it|ja|nl|ru|zh-cn)[./]", re.I)
_LARGEST = 200_000  # characters of a body: one manual in a single page would be most of the words
_SHORTEST = 60  # words of a body
_WORDS = 5


@dataclass(frozen=True)
class BuiltPage:
    """A page, the words that are its own, and the language that its name says."""

    layout: str
    html: str
    body: str
    language: str


def bodies(folders: Iterable[str], most: int) -> Iterator[tuple[str, str]]:
    """Language and HTML of so many pages' bodies, each from another place in the documentation."""
    found = sorted({path for folder in folders for path in Path(folder).rglob("*.html") if path.is_file()})
    random.Random(1).shuffle(found)
    count = 0
    for path in found:
        match = _BODY.search(path.read_text("utf-8", "replace"))
        body = _CHROME.sub(" ", match[1] or match[2]) if match else ""
        if len(body) <= _LARGEST and len(words_of(body)) >= _SHORTEST:
            said = _LANGUAGE.search(str(path))
            yield said[1].lower()[:2] if said else ("en" if "python" in str(path) else ""), body
            count += 1
            if count == most:
                return


def words_of(page: str) -> list[str]:
    """The words that a reader of this HTML sees, as `moss compare` reads it."""
    from frontends import HTML
    from moss.model import Channel

    stream = HTML.scan(page)[Channel.TEXT]
    return [page[a:b].lower() for a, b in zip(stream.start.tolist(), stream.end.tolist(), strict=True)]


NAMES = ("home", "news", "products", "downloads", "support", "forum", "shop", "careers", "partners", "contact")
MENU = "".join(f'<li><a href="/{name}">{name.title()}</a></li>' for name in NAMES)
TEASERS = "".join(
    f'<div class="teaser"><h3><a href="/s/{n}">Ten things that nobody told you about number {n}</a></h3>'
    f"<p>You will not believe what happened next to the people of town {n}. Read more</p></div>" for n in range(6)
)  # fmt: skip
AD = ('<div class="ad banner advertisement"><a href="//ads.example/c"><img src="b.gif" alt="Buy now"></a>'
      "<p>Save up to 70 % on the hosting that professionals trust. Offer ends today!</p></div>")  # fmt: skip
COOKIES = ('<div id="cookie-banner" role="dialog"><p>We value your privacy. We and our 842 partners store and access '
           "information on a device.</p><button>Accept all</button><button>Reject</button></div>")  # fmt: skip
FOOTER = ("<p>© 2026 Example Media Group. All rights reserved. Terms of use. Privacy policy. Imprint. "
          "Sitemap. Follow us on every network.</p>")  # fmt: skip

LAYOUTS: dict[str, Callable[[str], str]] = {
    "HTML 5": lambda body: (
        f"<header><nav><ul>{MENU}</ul></nav></header>{COOKIES}<main><article>{body}</article></main>"
        f"<aside>{AD}{TEASERS}</aside><footer>{FOOTER}</footer>"
    ),
    "classes": lambda body: (
        f'<div class="header"><div class="menu"><ul>{MENU}</ul></div></div>{AD}<div class="wrap"><div '
        f'class="content">{body}</div><div class="sidebar">{TEASERS}</div></div><div class="footer">{FOOTER}</div>'
    ),
    "tables": lambda body: (
        f'<table><tr><td colspan="2">{AD}</td></tr><tr><td width="150"><ul>{MENU}</ul></td><td>{body}</td></tr>'
        f'<tr><td colspan="2"><font size="1">{FOOTER}</font></td></tr></table>'
    ),
    "divisions": lambda body: (
        f'<div id="a1"><ul>{MENU}</ul></div><div id="a2">{body}</div><div id="a3">{TEASERS}</div>'
        f'<div id="a4">{AD}{FOOTER}</div>'
    ),
}


def build(folders: Iterable[str], most: int) -> list[BuiltPage]:
    """Pages in all layouts in turn."""
    names = list(LAYOUTS)
    made = []
    for number, (language, body) in enumerate(bodies(folders, most)):
        layout = names[number % len(names)]
        head = f"<!DOCTYPE html><html><head><title>Page {number}</title></head>"
        page = f"{head}<body>{LAYOUTS[layout](body)}</body></html>"
        made.append(BuiltPage(layout, page, body, language))
    return made


def extractors() -> dict[str, Callable[[str], str]]:
    """Every way from a page to its text, by name; Trafilatura's only where it is installed, by the extra `bench`."""
    from resiliparse.extract.html2text import extract_plain_text

    from moss.corpus.crawl.pages import main_text

    plain = {"list_bullets": False, "links": False}
    return {
        "moss (resiliparse, and what is not marked)": main_text,
        "resiliparse, main content": lambda page: extract_plain_text(page, main_content=True, **plain),
        "all text": lambda page: extract_plain_text(page, **plain),
        **_of_trafilatura(),
    }


def _of_trafilatura() -> dict[str, Callable[[str], str]]:
    try:
        import trafilatura
    except ImportError:
        return {}
    return {
        "trafilatura": lambda page: trafilatura.extract(page) or "",
        "trafilatura, fast": lambda page: trafilatura.extract(page, fast=True) or "",
        "trafilatura, for recall": lambda page: trafilatura.extract(page, favor_recall=True) or "",
    }


def runs(words: list[str]) -> set[tuple[str, ...]]:
    """All runs of five words."""
    return {tuple(words[at : at + _WORDS]) for at in range(len(words) - _WORDS + 1)}


def plain_words(text: str) -> list[str]:
    """The words of a text without markup."""
    from frontends import TEXT
    from moss.model import Channel

    stream = TEXT.scan(text)[Channel.TEXT]
    return [text[a:b].lower() for a, b in zip(stream.start.tolist(), stream.end.tolist(), strict=True)]


def measure_extractors(pages: list[BuiltPage]) -> list[list[str]]:
    """A row for each extractor: recall and precision over all pages and by layout, and what it costs."""
    wanted = [runs(words_of(page.body)) for page in pages]
    rows = []
    for name, extract in extractors().items():
        started = time.process_time()
        left = [extract(page.html) for page in pages]
        spent = time.process_time() - started
        found = [runs(plain_words(text)) for text in left]
        row = [name, f"{spent / len(pages) * 1000:.1f}"]
        for chosen in [None, *LAYOUTS]:
            some = [i for i, page in enumerate(pages) if chosen in (None, page.layout)]
            both = sum(len(wanted[i] & found[i]) for i in some)
            of_pages, of_found = (sum(len(sets[i]) for i in some) for sets in (wanted, found))
            row.append(f"{both / max(1, of_pages):.3f} / {both / max(1, of_found):.3f}")
        worst = sum(len(w & f) < 0.5 * len(w) for w, f in zip(wanted, found, strict=True))
        rows.append([*row, f"{worst / len(pages):.1%}"])
    return rows


def detectors() -> dict[str, Callable[[str], str]]:
    """Every way from a text to its language, by name."""
    import py3langid
    from resiliparse.parse.lang import detect_fast

    from moss.corpus.crawl.pages import tongue_of

    return {
        "moss (py3langid, 1,000 characters)": tongue_of,
        "py3langid": lambda text: str(py3langid.classify(text)[0]),
        "resiliparse, fast": lambda text: str(detect_fast(text)[0]),
    }


def measure_detectors(pages: list[BuiltPage]) -> list[list[str]]:
    """A row for each detector: how often it is right, and what it costs."""
    known = [(page.language, " ".join(words_of(page.body))) for page in pages if page.language]
    rows = []
    for name, detect in detectors().items():
        detect("What is loaded once is loaded now, and not counted.")
        row = [name]
        for cut in (None, 20):
            texts = [(language, text if cut is None else " ".join(text.split()[:cut])) for language, text in known]
            started = time.process_time()
            right = sum(detect(text) == language for language, text in texts)
            spent = time.process_time() - started
            row += [f"{right / len(texts):.1%}", f"{spent / len(texts) * 1e6:,.0f}"]
        rows.append(row)
    return rows


def table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown, of which the first column is text."""
    names = list(headings)
    rule = ["---", *["---:"] * (len(names) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (names, rule, *rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--folders", nargs="+", default=FOLDERS)
    given = parser.parse_args()
    pages = build(given.folders, given.pages)
    if not pages:
        raise SystemExit("no HTML pages there; apt install python3-doc (Debian), or name folders by --folders")
    print(f"{len(pages)} pages; recall / precision by runs of five words\n")
    headings = ("extractor", "ms a page", "all", *LAYOUTS, "pages of which less than half is left")
    print(table(headings, measure_extractors(pages)))
    languages = sorted({page.language for page in pages} - {""})
    known = sum(bool(page.language) for page in pages)
    print(f"\n{known} pages in {len(languages)} languages: {', '.join(languages)}\n")
    print(table(("detector", "right", "µs", "right, 20 words", "µs"), measure_detectors(pages)))


if __name__ == "__main__":
    main()
