"""Moments as platforms write them."""

import re
import tarfile
import zipfile
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.intake.collect import collect
from moss.intake.times import WRITTEN, read_time

EVENING = datetime(2025, 10, 3, 22, 5)


@pytest.mark.parametrize(
    "written",
    [
        "Oct 3, 2025 1005 PM", "Oct. 3, 2025 10:05 p.m.", "October 3, 2025 10:05\u202fPM", "3 October, 2025 2205",
        "3 octobre, 2025 2205", "3 de octubre de 2025 22:05", "3. Oktober 2025 22.05", "3 okt. 2025 2205",
        "3 ott 2025 2205", "3 out 2025 22:05", "3 paź 2025 22:05", "3 Eki 2025 22:05", "2025-10-03 2205",
        "2025-10-03 22:05", "3.10.2025 22:05", "2025年10月3日 22:05",
        "2025年10月3日 下午1005", "2025년 10월 3일 오후 1005", "3 окт., 2025 2205", "3 жовтня 2025 22:05",
        "3 Οκτ 2025 1005 μμ", "3 أكتوبر، 2025 1005 م", "3 lokakuuta 2025 22:05",
        "3 Eki 2025 10:05 ÖS", "Oct 3, 2025 10꞉05 PM",
    ],
)  # fmt: skip
def test_a_moment_in_a_name(written):
    assert read_time(written) == EVENING
    assert re.fullmatch(WRITTEN, written)


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("20251003220500123", EVENING),
        ("2025-10-03-22-05-00", EVENING),
        ("2025-10-03T22:05:00Z", EVENING.replace(tzinfo=UTC)),
        ("2025-10-03 22:05:00.000000000 Z", EVENING.replace(tzinfo=UTC)),
        ("2025-10-03 22:05:00 +0200", EVENING.replace(tzinfo=timezone(timedelta(hours=2)))),
        ("2025-10-03 22:05:00-0400 America/New_York", EVENING.replace(tzinfo=timezone(timedelta(hours=-4)))),
        ("Oct 3, 2025 1205 AM", datetime(2025, 10, 3, 0, 5)),
        ("Oct 3, 2025 926 AM", datetime(2025, 10, 3, 9, 26)),
        ("2025-10-03", datetime(2025, 10, 3)),
    ],
)
def test_a_moment_in_a_file(written, moment):
    assert read_time(written) == moment


@pytest.mark.parametrize(
    "written",
    ["", "hw1", "13:00", "2025-13-01 10:00", "Oct 32, 2025 1005 PM", "Foo 3, 2025 1005 PM", "Oct 3, 2025 1305 PM",
     "03/10/2025 22:05", "2025-10-03 99:99", "9" * 400, "Oct 3, 2025 1005 PM and more"],
)  # fmt: skip
def test_what_is_no_moment_or_could_be_two_is_none(written):
    assert read_time(written) is None


@given(st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1)).map(lambda time: time.replace(second=0, microsecond=0)))
def test_moments_survive_each_way_to_write_them(time):
    half = f"{(time.hour - 1) % 12 + 1}{time:%M} {'PM' if time.hour > 11 else 'AM'}"
    for written in (f"{time:%b} {time.day}, {time.year} {half}", time.isoformat(), f"{time:%Y-%m-%d %H%M}",
                    f"{time:%Y%m%d%H%M%S}", f"{time:%Y-%m-%d-%H-%M-%S}"):  # fmt: skip
        assert read_time(written) == time


@given(st.text(max_size=40))
def test_no_text_is_a_trap(written):
    found = read_time(written)
    assert found is None or found.isoformat()


# Dates in archives.


def dated_zip(zipped, dates):
    """A class in a zip; each student's file has a date."""
    members = []
    for name, date in dates.items():
        info = zipfile.ZipInfo(f"{name}/hw.py", date.timetuple()[:6])
        members.append((info, f"print('{name}')\n".encode()))
    return zipped(members)


def test_an_archive_dates_its_submissions_if_the_dates_differ(tree, zipped):
    dates = {"ada": EVENING, "bob": EVENING + timedelta(hours=5), "cem": EVENING - timedelta(days=1)}
    found = collect([tree({"class.zip": dated_zip(zipped, dates)}) / "class.zip"])
    assert {each.id: each.dated for each in found.submissions} == dates
    packed = dict.fromkeys(dates, EVENING)
    found = collect([tree({"class.zip": dated_zip(zipped, packed)}, "packed") / "class.zip"])
    assert [each.dated for each in found.submissions] == [None] * 3


def test_the_dates_inside_a_students_archive_count_and_the_newest_of_them(tree, zipped, tarred):
    def header(name, day):
        info = tarfile.TarInfo(name)
        info.mtime = datetime(2025, 10, day, tzinfo=UTC).timestamp()
        return info

    ada = tarred([header("a.py", 1), header("b.py", 2)])
    bob = tarred([header("a.py", 5)])
    found = collect([tree({"class.zip": zipped([("ada.tar", ada), ("bob.tar", bob)])}) / "class.zip"])
    assert [each.dated for each in found.submissions] == [datetime(2025, 10, day, tzinfo=UTC) for day in (2, 5)]


def test_a_damaged_date_costs_no_file(tree, zipped):
    info = zipfile.ZipInfo("ada/hw.py")
    info.date_time = (2025, 15, 31, 31, 63, 62)
    found = collect([tree({"class.zip": zipped([(info, b"a = 1\n"), ("bob/hw.py", b"b = 2\n")])}) / "class.zip"])
    assert [(each.id, each.dated) for each in found.submissions] == [("ada", None), ("bob", None)]
