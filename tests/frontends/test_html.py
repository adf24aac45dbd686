"""Markup is the structure of a page, what a reader sees is its text."""

from __future__ import annotations

import numpy as np
import pytest

from frontends import by_name
from moss.model import Channel


def tokens(text: str, channel: Channel) -> list[str]:
    """The tokens of a channel as they stand in the page."""
    stream = by_name("html").scan(text)[channel]
    return [text[start:end] for start, end in zip(stream.start, stream.end, strict=True)]


def words_of(text: str) -> list[str]:
    return tokens(text, Channel.TEXT)


def structure_of(text: str) -> list[str]:
    return tokens(text, Channel.STRUCTURE)


def same(a: str, b: str, channel: Channel) -> bool:
    one, other = (by_name("html").scan(text)[channel].codes for text in (a, b))
    return np.array_equal(one, other)


def test_text_is_what_a_reader_sees() -> None:
    page = "<!-- no --><p title='no'>Yes <b>we</b> can</p><script>no()</script><style>no {}</style>"
    assert words_of(page) == ["Yes", "we", "can"]


def test_entities_are_the_characters_they_stand_for() -> None:
    assert words_of("<p>caf&eacute; &lt;tag&gt; &#65;&#x42;") == ["caf&eacute;", "tag", "&#65;&#x42;"]
    assert same("caf&eacute; &#65;&#x42;", "café AB", Channel.TEXT)


def test_tags_inside_a_word_do_not_part_it() -> None:
    assert same("<p>plag<b></b>iar<i>is</i>m", "<p>plagiarism", Channel.TEXT)
    assert same("pla<!-- x -->giarism", "plagiarism", Channel.TEXT)


@pytest.mark.parametrize("tag", ["<br>", "<p>", "</td><td>", "<li>", "<unknown>"])
def test_other_tags_part_words(tag: str) -> None:
    assert len(words_of(f"one{tag}two")) == 2


def test_tags_and_attributes_stand_for_themselves() -> None:
    assert structure_of('<A href="x">go</a>') == ["<", "A", "href", "=", '"x"', ">", "go", "<", "/", "a", ">"]
    assert same("<A HREF=x>go</A>", "<a  href='other'>come</a >", Channel.STRUCTURE)
    assert not same("<a href=x>go</a>", "<b href=x>go</b>", Channel.STRUCTURE)
    assert not same("<a href=x>go</a>", "<a name=x>go</a>", Channel.STRUCTURE)


def test_blank_text_and_comments_are_no_structure() -> None:
    assert same("<ul>\n  <li>a</li>\n</ul>", "<ul><li>b</li><!-- c --></ul>", Channel.STRUCTURE)


def test_a_script_is_javascript() -> None:
    program = "let total = price * 2; // all\nreturn `x`;"
    page = by_name("html").scan(f"<p>hi</p><script type='module'>{program}</script>")[Channel.STRUCTURE].codes
    alone = by_name("javascript").scan(program)[Channel.STRUCTURE].codes
    assert any(np.array_equal(page[i : i + len(alone)], alone) for i in range(len(page)))


def test_nothing_reaches_from_one_script_into_the_next() -> None:
    page = "<script>a = `open</script><p>text</p><script>b = 1</script>"
    stream = by_name("html").scan(page)[Channel.STRUCTURE]
    assert (stream.end[:-1] <= stream.start[1:]).all()
    assert words_of(page) == ["text"]


def test_a_sign_that_opens_no_tag_is_text() -> None:
    assert words_of("<p>1 < 2 and a<3") == ["1", "2", "and", "a", "3"]
    assert structure_of("<p>1 < 2") == ["<", "p", ">", "1 < 2"]


@pytest.mark.parametrize(
    "page", ["<", "<a", "<a b='", "<!--", "<script>", "<style>a", "&", "&amp", "</", "<!", "<script"]
)
def test_what_is_never_closed_ends_with_the_page(page: str) -> None:
    assert set(by_name("html").scan(page)) == {Channel.STRUCTURE, Channel.TEXT}
