"""Names in texts: which spellings of a name are hidden, which words are not, and where names stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.anonymity import Remover, Replacement, hide_in_path, in_texts, names_of
from moss.model import SourceFile, Submission

HIDDEN = "somebody"


def hidden_in(text: str, owner: str, path: str = "Main.java") -> str:
    """The text without the name of a student with one file."""
    student = Submission(owner, owner, (SourceFile(path, ""),))
    return in_texts(names_of([student], {owner: HIDDEN}), [student])(text)


@pytest.mark.parametrize(
    ("owner", "written"),
    [
        ("Karl Mueller", "Müller"), ("Karl Müller", "MUELLER"), ("Karl Mueller", "Mu\u0308ller"),
        ("Hans Weiss", "Weiß"), ("Østergård", "Ostergaard"), ("Østergård", "Oestergård"), ("Isaac Boell", "Böll"),
        ("山田太郎", "山田 太郎"), ("山田太郎", "山田\u3000太郎"), ("山田太郎", "山田"), ("山田太郎", "太郎"),
        ("王伟", "王 伟"), ("김민준", "김 민준"),
        ("Xi Li", "Li Xi"), ("Xi Li", "xi_li"), ("Xi Li", "Li, Xi"), ("Li, Xi", "Xi Li"),
        ("Nguyễn Văn Hùng", "hungnv"), ("Nguyễn Văn Hùng", "NguyenVH"), ("Jan van der Berg", "janvdb"),
        ("Maria-José Fernández Ruiz", "MJFernandez"), ("Ana Sofía de la Cruz", "ascruz"),
        ("anna.svensson", "Svensson"), ("anna.svensson", "asvensson"), ("anna.svensson@uni.example", "svenssona"),
        ("Lovelace, Ada", "alovelace"), ("O'Brien, Seán", "sobrien"), ("Müller-Lüdenscheidt, Jürgen", "jmueller"),
        ("García López, María José", "mjgarcia"), ("Björnsdóttir, Þórdís", "Thordis"),
        ("Ada Lovelace, Grace Hopper", "ghopper"), ("Åse Sørensen; Bjørn Dahl", "bdahl"),
        ("Lovelace, Ada; Hopper, Grace Brewster", "gbhopper"),
        ("रवि कुमार", "रवि"), ("रवि कुमार", "कुमार"), ("தமிழ் செல்வி", "செல்வி"), ("สมชาย ใจดี", "ใจดี"),
        ("José Gil", "Jose\u0301"), ("İbrahim Şahin", "SAHİN"), ("Karl Strauß", "STRAUSS"), ("Fiona Ek", "\ufb01ona"),
    ],
    ids=ascii,
)  # fmt: skip
def test_a_name_is_hidden_in_other_spellings(owner, written):
    assert hidden_in(f"by {written}.", owner) == f"by {HIDDEN}."


@pytest.mark.parametrize(
    ("owner", "text"),
    [
        ("Joel Baez", "foo bar baz"), ("A B", "f(a, b)"), ("Bo Ek", "bo"), ("ada.java", "java"),
        ("ada@mail.example.com", "import com.example.mail;"),
    ],
)  # fmt: skip
def test_words_that_only_resemble_a_name_stay(owner, text):
    assert hidden_in(text, owner, path="ada.java") == text


@pytest.mark.parametrize(
    ("path", "shown"),
    [("work/anna.svensson", "work/p"), ("anna.svensson.java", "p.java"), ("svensson.ada", "p.ada"), ("ada.py", "p.py")],
)
def test_the_ending_of_a_path_is_hidden_unless_it_is_that_of_a_language(path, shown):
    names = {"anna": "p", "svensson": "p", "anna.svensson": "p", "ada": "p"}
    assert hide_in_path(path, Remover(names)) == shown


LETTERS = st.text("aB é伟1_", min_size=1, max_size=3)


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether what is there touches no letter of the same word, and no digit if it has one itself."""

    def joined(left: str, right: str) -> bool:
        cased = all(letter.lower() != letter.upper() for letter in left + right)
        return bool(left and right) and cased and not (left.islower() and right.isupper())

    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if text[start].isdigit() or text[end - 1].isdigit():
        return not (before.isalnum() or after.isalnum())
    return not (joined(before, text[start]) or joined(text[end - 1], after))


@given(st.sets(LETTERS.map(str.lower).filter(str.strip), min_size=1), st.text("aAbBé伟1_ ", max_size=12))
def test_what_is_found_is_always_the_first_and_longest_name_that_stands_alone(names, text):
    names = {name.replace("é", "e") for name in names}
    small, expected, done = text.lower().replace("é", "e"), [], 0
    for start in range(len(text)):
        ends = (end for end in range(len(text), start, -1) if small[start:end] in names)
        end = next((end for end in ends if stands_alone(text.replace("é", "e"), start, end)), 0)
        if end and start >= done:
            expected.append(Replacement(start, end, small[start:end]))
            done = end
    assert Remover({name: name for name in names}).found_in(text) == expected
