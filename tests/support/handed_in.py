"""A class whose files say whose they are, and whether they were read right."""

import re

# One-word names, particles, double names, namesakes, and letters that other alphabets write with several signs.
STUDENTS = (
    ("Ada", "Lovelace", "alovelace"), ("José", "García-López", "jgarcia"), ("Anne-Marie", "O'Neil", "aoneil"),
    ("Ümit", "van der Berg", "uberg"), ("王小明", "", "wangxm"), ("Мария", "Иванова", "mivanova"),
    ("Suharto", "", "suharto"), ("Jane", "Doe", "jdoe"), ("Jane", "Doe", "jdoe2"), ("محمد", "علي", "mali"),
    ("François", "de la Tour", "fdelatour"), ("अनिल", "शर्मा", "asharma"),
)  # fmt: skip
LOGINS = [login for _, _, login in STUDENTS]
NATURAL = [f"{first} {last}".strip() for first, last, _ in STUDENTS]
SORTED = [f"{last}, {first}" if last else first for first, last, _ in STUDENTS]


def work(login, what="new"):
    return f"print('{what} of <{login}>')\n"


def whose(intake):
    """For each submission that is compared, whose work is in it."""
    newest = [each for each in intake.submissions if not each.age]
    return [sorted({m for file in each.files for m in re.findall("<(.+?)>", file.text)}) for each in newest]


def read_right(intake, layout, students=LOGINS):
    """Whether each student has one submission, of the newest work alone, and nothing else is one."""
    assert [download.layout for download in intake.downloads] == [layout]
    assert sorted(whose(intake)) == sorted([each] for each in students)
    texts = [file.text for each in intake.submissions if not each.age for file in each.files]
    assert not [text for text in texts if "old of" in text or "platform" in text]
    return True
