"""Sentences in other languages: catalogues, counted nouns, dates, numbers and lists."""

import gettext as catalogues
from datetime import datetime
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from support.pseudo_language import LANGUAGE, messages_of_source, unmarked, write_catalogue

from moss import messages
from moss.report.page_templates import environment

GERMAN = {
    ("%(n)s pair", "%(n)s pairs"): ("%(n)s Paar", "%(n)s Paare"),
    ("mark between thousands", ","): ".",
    ("date", "%(day)s %(month)s %(year)s"): "%(day)s. %(month)s %(year)s",
    "Oct": "Okt",
    ("end of a list", "%(first)s and %(last)s"): "%(first)s und %(last)s",
    "%(n)s%%": "%(n)s %%",
}


@pytest.fixture
def german():
    catalogue = Catalog(locale="de")
    for message, translated in GERMAN.items():
        if isinstance(translated, tuple):
            catalogue.add(message, translated)
        elif isinstance(message, tuple):
            catalogue.add(message[1], translated, context=message[0])
        else:
            catalogue.add(message, translated)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    with messages.using(catalogues.GNUTranslations(compiled)):
        yield


def test_english_needs_no_catalogue():
    assert messages.counted([1, 2], "student") == "2 students"
    assert messages.moment(datetime(2026, 10, 3, 7, 30)) == "3 Oct 2026, 07:30"


def test_a_catalogue_says_how_its_language_writes(german):
    assert messages.counted(12_345, "pair") == "12.345 Paare"
    assert messages.counted(1, "pair") == "1 Paar"
    assert messages.day(datetime(2026, 10, 3)) == "3. Okt 2026"
    assert messages.listed(["Ada", "Mei", "Noor"]) == "Ada, Mei und Noor"
    assert messages.percent(0.5) == "50 %"


def test_sentences_that_are_kept_are_kept_for_each_language(german):
    assert (messages.counted(3, "pair"), messages.percent(0.25)) == ("3 Paare", "25 %")
    with messages.using(messages.load("en", Path("nowhere"))):
        assert (messages.counted(3, "pair"), messages.percent(0.25)) == ("3 pairs", "25%")
    assert (messages.counted(3, "pair"), messages.percent(0.25)) == ("3 Paare", "25 %")


def test_what_a_catalogue_lacks_stays_english(german):
    assert messages.counted(2, "student") == "2 students"


def test_a_language_without_a_catalogue_is_refused(tmp_path):
    with pytest.raises(messages.CatalogueError, match="no catalogue of the language 'xx'"):
        messages.load("xx", tmp_path)
    assert messages.load("en", Path("nowhere")).gettext("pair") == "pair"


def test_nouns_that_are_not_known_are_a_mistake_of_ours():
    with pytest.raises(KeyError):
        messages.counted(2, "sheep")


def test_every_message_of_the_source_is_found_by_the_extraction(tmp_path):
    found = messages_of_source()
    assert "Similarity is not proof." in found  # in a template
    assert ("%(n)s pair", "%(n)s pairs") in {message.id for message in found}  # a counted noun
    assert found.get("%(day)s %(month)s %(year)s", context="date")


def test_the_made_up_language_leaves_nothing_as_it_was(tmp_path, monkeypatch):
    folder = write_catalogue(tmp_path)
    with messages.using(messages.load(LANGUAGE, folder)):
        page = environment().get_template("parts/gallery.html").render(asset=lambda name: name)
    names = {"Programming", "Homework", "Run", "Ada", "Tutor", "ada", "emeka", *drawings()}
    spoken = {"students,", "earlier", "starter", "code", "left", "out", "reviewed", "largest", "students", "s"}
    assert set(unmarked(page)) <= names | spoken
    assert unmarked("<p>⟦Open <b>the</b>⟧ report <code>x.py</code><i title='Why'>⟦so⟧</i></p>") == ["report", "Why"]


def drawings():
    """The names of all icons, which the gallery shows."""
    module = environment().get_template("parts/icons.html").module
    return module.drawings
