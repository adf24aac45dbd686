"""Moments as platforms write them."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss.intake.times import WRITTEN, read_time

EVENING = datetime(2025, 10, 3, 22, 5)


@pytest.mark.parametrize(
    "written",
    [
        "Oct 3, 2025 1005 PM", "Oct. 3, 2025 10:05 p.m.", "October 3, 2025 10:05\u202fPM", "3 October, 2025 2205",
        "3 octobre, 2025 2205", "3 de octubre de 2025 22:05", "3. Oktober 2025 22.05", "3 okt. 2025 2205",
        "3 ott 2025 2205", "3 out 2025 22:05", "3 paź 2025 22:05", "3 Eki 2025 22:05", "2025-10-03 2205",
        "2025-10-03 22:05", "3.10.2025 22:05", "2025年10月3日 22:05",
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
