"""Pages for a server: relative links wherever they are mounted, slots that nobody can forge, texts of a pair alone."""

import re
import threading
from dataclasses import replace
from functools import cache
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.programs import HONEST_JAVA, LEDGER, write_class
from support.pseudo_language import LANGUAGE, write_catalogue
from support.renderers import Unlucky, renamed
from support.served import served_pages

import moss
from moss.messages import load, using
from moss.report import render, served
from moss.report.evidence.document import EvidenceRequest, make_evidence, render_evidence
from moss.report.evidence.redaction import names_table
from moss.report.page_templates import PAIR_LIST, DiskLinks, paged, report_assets
from moss.report.pages.overview import FIRST_ROWS, render_overview
from moss.report.render import PAIRS, SUBMISSIONS, Page, Renderer, pages_of
from moss.report.served import (
    NoSuchPageError,
    ServedLinks,
    fill_slots,
    render_one,
    state_badge,
    templates_digest,
)
from moss.report.site import write_site

SAMPLE = Path(__file__).parents[2] / "sample_submissions" / "java-library"
MOUNTS = ("https://moss.example/runs/7/", "https://moss.example/shared/a-token/", "https://school.example/moss/runs/7/")
SLOT = re.compile(r"<!--moss:slot (.*?)-->")
FORGED = "<!--moss:slot case-->"


@cache
def report():
    folders = {"base": [SAMPLE / "starter"], "archive": [SAMPLE / "archive"]}
    return moss.compare([SAMPLE / "submissions"], **folders, settings=moss.Settings(jobs=1, show=8))


@cache
def pages():
    return dict(served_pages(report()))


@pytest.fixture(scope="module")
def forger(tmp_path_factory):
    """A class in which names, paths and code all claim to be slots."""
    name = FORGED.replace("/", "\u2215")
    program = LEDGER.replace("{", f"{{ /* {FORGED} */", 1).replace("no such customer", FORGED)
    folder = write_class(
        tmp_path_factory.mktemp("forger") / "hw",
        HONEST_JAVA | {f"{name} {who}": {f"{name}.java": program} for who in ("ann", "bob")},
    )
    return moss.compare([folder], settings=moss.Settings(jobs=1, comment=FORGED))


def someone():
    """The name of a submission's page."""
    return next(name for name in pages() if name.startswith("submissions/"))


def reader_of(*texts):
    """The report as a server has it for one page: without the texts of others."""

    def without_text(record):
        return replace(record, files=tuple(replace(file, text="") for file in record.files))

    return replace(
        report(),
        submissions=tuple(record if record.id in texts else without_text(record) for record in report().submissions),
    )


def rendered(report, folder, number):
    return Renderer(report, ServedLinks)(Page(folder, number))


class Parsed(HTMLParser):
    """Where a page leads to, what in it can be led to, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.ids, self.loaded, self.metas = [], {""}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        self.metas += [attributes] if tag == "meta" else []
        self.loaded += [attributes.get("href") or attributes.get("src")] if tag in ("link", "script") else []
        self.targets += [attributes["href"]] if tag == "a" and "href" in attributes else []


# Pages and links.


def test_there_is_the_overview_and_a_page_for_each_shown_pair_its_submissions_and_each_cluster():
    numbers = [i for i, record in enumerate(report().submissions, 1) if record.id in paged(report())]
    assert list(pages()) == [
        "",
        *(f"pairs/{i}" for i in range(1, len(report().pairs) + 1)),
        *(f"submissions/{i}" for i in numbers),
        *(f"clusters/{i}" for i in range(1, len(report().clusters) + 1)),
    ]


@pytest.mark.parametrize("mount", MOUNTS)
def test_links_lead_to_pages_wherever_the_report_is_mounted(mount):
    there = {urljoin(mount, name): Parsed(text) for name, text in pages().items()}
    assets = {urljoin(mount, f"assets/{path.name}") for path in report_assets().values()}
    reached = set()
    for address, page in there.items():
        home, *targets = [target for target in page.targets if target != "#main"]
        assert urljoin(address, home) == re.sub(r"(runs|shared)/.*", "", mount)
        for target in targets:
            found, fragment = urldefrag(urljoin(address, target))
            assert "=" in fragment or fragment in there[found].ids or re.fullmatch(r"pair-\d+", fragment)
            reached.add(found)
        for target in set(page.loaded) - {PAIR_LIST}:
            asset = urljoin(address, target)
            assert asset.removesuffix(f"?v={templates_digest()}") in assets
            assert urlsplit(asset).query
    assert reached == set(there)


def test_no_link_is_absolute():
    for text in pages().values():
        assert not [target for target in [*Parsed(text).targets, *Parsed(text).loaded] if re.match(r"/|\w+:", target)]


def test_the_policy_is_left_to_the_server_and_on_disk_to_the_page():
    policy = "Content-Security-Policy"
    for text in pages().values():
        assert policy not in [meta.get("http-equiv") for meta in Parsed(text).metas]
    on_disk = Parsed(render_overview(report(), DiskLinks()))
    assert policy in [meta.get("http-equiv") for meta in on_disk.metas]


def test_the_digest_changes_with_any_template_asset_or_translation(tmp_path, monkeypatch, request):
    request.addfinalizer(served._templates_digest.cache_clear)
    plain = templates_digest()
    found = {plain}
    assert re.fullmatch(r"[0-9a-f]{16}", plain)
    other = load(LANGUAGE, write_catalogue(tmp_path / "catalogues"))
    with using(other):
        found.add(templates_digest())
    assert templates_digest() == plain
    monkeypatch.setattr(served, "TEMPLATES", tmp_path)
    monkeypatch.setattr(served, "_STORED", (tmp_path / "parts", tmp_path / "report"))
    for name in ("report/a.html", "parts/assets/a.css"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        for text in ("one", "two"):
            (tmp_path / name).write_text(text)
            served._templates_digest.cache_clear()
            found.add(templates_digest())
    assert len(found) == 6


def test_a_page_that_fails_is_made_without_lexers_or_says_so(monkeypatch):
    monkeypatch.setattr(render, "Renderer", Unlucky)
    monkeypatch.setattr(render, "DEADLINE", 2.0)
    three = replace(report(), pairs=(report().pairs * 3)[:3])
    made = dict(served_pages(three))
    assert "could not be made" not in made["pairs/1"] + made["pairs/2"]
    assert "This page could not be made: it failed (RecursionError" in made["pairs/3"]
    assert "sources.json" not in made["pairs/3"]
    assert "<b>too deep" not in made["pairs/3"]
    assert {"head", "crumbs", "masthead", "notice"} == set(SLOT.findall(made["pairs/3"]))
    assert render_one(three, "pairs/3") == made["pairs/3"]


def test_whatever_names_there_are_pages_can_be_stored_and_sent():
    bad = renamed(report(), dict(zip((report().pairs[0].a, report().pairs[0].b), ("a\0b", "half \ud800"), strict=True)))
    for _, text in served_pages(replace(bad, pairs=bad.pairs[:1])):
        assert text.encode("utf-8")
        assert "\0" not in text


# One page.


def test_one_page_is_the_same_as_among_all():
    for name in ("", "pairs/1", "pairs/2", someone()):
        assert render_one(report(), name) == pages()[name]


def test_one_page_can_be_made_beside_other_threads():
    report()  # once, before several threads ask for it
    enough = threading.Event()
    others = [threading.Thread(target=enough.wait) for _ in range(3)]
    made = {}
    makers = [
        threading.Thread(target=lambda name=name: made.update({name: render_one(report(), name)}))
        for name in ("pairs/1", someone())
    ]
    for thread in others + makers:
        thread.start()
    for thread in makers:
        thread.join()
    enough.set()
    for thread in others:
        thread.join()
    assert made == {name: pages()[name] for name in ("pairs/1", someone())}


@pytest.mark.parametrize(
    "name", ["pairs/0", "pairs/01", "pairs/9999", "pairs/-1", "pairs/", "pairs/1/", "submissions/99", "/", "index.html"]
)
def test_a_name_that_no_page_has_is_refused(name):
    with pytest.raises(NoSuchPageError, match=re.escape(repr(name))):
        render_one(report(), name)


def test_a_submission_without_a_shown_pair_has_no_page():
    one = replace(report(), pairs=report().pairs[:1])
    assert len(pages_of(one)) == 3 + len(one.clusters)
    hidden = next(i for i, record in enumerate(one.submissions, 1) if record.id not in paged(one))
    with pytest.raises(NoSuchPageError):
        render_one(one, f"submissions/{hidden}")


# A report with the texts of one page only.


def test_the_page_of_a_pair_needs_no_other_texts_and_no_other_passages():
    for number, pair in enumerate(report().pairs[:4], 1):
        partial = reader_of(pair.a, pair.b)
        partial = replace(
            partial, pairs=tuple(each if each is pair else replace(each, matches=()) for each in partial.pairs)
        )
        assert rendered(partial, PAIRS, number) == pages()[f"pairs/{number}"]


def test_the_page_of_a_submission_needs_no_other_texts():
    for number, record in enumerate(report().submissions, 1):
        if record.id in paged(report()):
            assert rendered(reader_of(record.id), SUBMISSIONS, number) == pages()[f"submissions/{number}"]


def test_the_overview_needs_no_texts():
    assert render_one(reader_of(), "") == pages()[""]


@pytest.mark.parametrize("name_others", [False, True])
def test_evidence_of_a_pair_needs_no_other_texts(name_others):
    pair = report().pairs[0]
    full, partial = report(), reader_of(pair.a, pair.b)
    made = make_evidence(EvidenceRequest(partial, 1, "a note", name_others=name_others))
    assert made == render_evidence(full, 1, note="a note", name_others=name_others)


def test_anonymous_evidence_without_other_texts_hides_no_less():
    for number, pair in enumerate(report().pairs[:3], 1):
        partial = reader_of(pair.a, pair.b)
        text = make_evidence(EvidenceRequest(partial, number, anonymous=True)).lower()
        assert names_table(partial, number) == names_table(report(), number)
        for _, id, owner in names_table(partial, number):
            assert not re.search(rf"\b({re.escape(id.lower())}|{re.escape(owner.lower())})\b", text)


# Slots.


def test_pages_have_the_slots_of_their_kind():
    common = ["head", "crumbs", "masthead", "notice"]
    states = [f"state-{i}" for i in range(1, min(FIRST_ROWS, len(report().pairs)) + 1)]
    assert SLOT.findall(render_one(report(), PAIR_LIST)) == ["states"]
    assert SLOT.findall(pages()[""]) == [*common, "tools", *states, "states"]
    for number, pair in enumerate(report().pairs, 1):
        passages = [f"passage-{i}" for i in range(1, len(pair.matches) + 1)]
        assert SLOT.findall(pages()[f"pairs/{number}"]) == [*common, "case", *passages]
    assert SLOT.findall(pages()[someone()]) == [*common, "submission"]
    inside = [i for i, pair in enumerate(report().pairs, 1) if {pair.a, pair.b} <= set(report().clusters[0])]
    assert SLOT.findall(pages()["clusters/1"]) == [*common, "states", *(f"state-{i}" for i in inside)]


def test_a_page_is_filled_where_its_slots_are():
    page = fill_slots(pages()["pairs/1"], {"head": "<head-here>", "case": "<case-here>", "passage-1": "<link-here>"})
    order = ["<head-here>", "</head>", "<main", "</header>", "<case-here>", 'id="toolbar"', "<link-here>", 'id="texts"']
    places = [page.rindex(each) for each in order]
    assert places == sorted(places)
    assert "moss:slot" not in page


def test_on_disk_there_are_no_slots(tmp_path):
    write_site(report(), tmp_path, jobs=1)
    for path in tmp_path.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "moss:slot" not in text
        assert 'id="filter-state"' not in text


def test_nobody_forges_a_slot(forger):
    made = dict(served_pages(forger))
    number = next(i for i, pair in enumerate(forger.pairs, 1) if FORGED.replace("/", "\u2215") in pair.a)
    for name, text in made.items():
        assert SLOT.findall(text).count("case") == name.startswith("pairs/")
    page = fill_slots(made[f"pairs/{number}"], {"case": "<b>the panel</b>"})
    assert page.count("<b>the panel</b>") == 1
    assert escape(FORGED) in page


SLOTS = st.from_regex(r"[a-z]{1,8}(-[0-9]{1,4})?", fullmatch=True)
TEXTS = st.text(max_size=30).map(escape)


@given(st.lists(st.tuples(TEXTS, SLOTS)), TEXTS, st.dictionaries(SLOTS, st.text() | SLOTS.map(ServedLinks().slot)))
def test_what_is_filled_in_is_what_stands_there_and_nothing_else_changes(parts, end, contents):
    contents |= {name: f"<{name}>{FORGED}" for _, name in parts[::2]}
    page = "".join(f"{text}{ServedLinks().slot(name)}" for text, name in parts) + end
    assert fill_slots(page, contents) == "".join(text + contents.get(name, "") for text, name in parts) + end
    assert fill_slots(page, {name: str(ServedLinks().slot(name)) for _, name in parts}) == page


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_escaped_text_is_a_slot(before, after):
    text = escape(before + FORGED + after)
    assert fill_slots(text, {"case": "filled"}) == text


def test_a_badge_is_escaped_and_says_how_far_the_case_is():
    assert state_badge('"><b>') == '<span class="badge" data-state="&#34;&gt;&lt;b&gt;"></span>'
    assert state_badge("unreviewed") == '<span class="badge" data-state="unreviewed">needs review</span>'
