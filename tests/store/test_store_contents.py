"""Texts are stored once, and come back to the character."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from moss.model import Role
from moss.store import Store
from moss.store.submissions.contents import content_ids, delete_unused_texts, digest_of, read_texts, store_texts
from moss.store.tables import AssignmentRow, ContentRow, CourseRow, SubmissionRow, SubmittedFileRow


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    made = Store(database_url)
    yield made
    made.close()


def number_of_texts(store: Store) -> int:
    with store.reading() as session:
        return session.scalar(select(func.count()).select_from(ContentRow))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(), max_size=6))
def test_texts_come_back_to_the_character(store, texts):
    with store.session() as session:
        ids = store_texts(session, texts)
    with store.reading() as session:
        assert read_texts(session, ids) == {digest_of(text): text for text in texts}
        assert content_ids(session, ids) == ids


def test_a_text_is_stored_once_however_many_hand_it_in(store):
    with store.session() as session:
        first = store_texts(session, ["a", "b", "a"])
    with store.session() as session:
        again = store_texts(session, ["b", "c"])
    assert again[digest_of("b")] == first[digest_of("b")]
    assert number_of_texts(store) == 3


def test_more_texts_than_a_statement_takes(store):
    texts = [f"text {number}" for number in range(1200)]
    with store.session() as session:
        ids = store_texts(session, texts)
    with store.reading() as session:
        assert len(read_texts(session, ids)) == len(set(ids.values())) == 1200


def test_texts_that_are_not_there_are_not_answered(store):
    with store.reading() as session:
        assert read_texts(session, ["0" * 64]) == {}


def test_only_texts_that_no_file_has_are_forgotten(store):
    with store.session() as session:
        ids = store_texts(session, ["used", "unused", "not asked about"])
        course = CourseRow(name="Programming")
        assignment = AssignmentRow(name="Homework", course=course)
        session.add(assignment)
        session.flush()
        file = SubmittedFileRow(content_id=ids[digest_of("used")], path="a.py", sha256="", encoding="utf-8")
        session.add(SubmissionRow(assignment_id=assignment.id, owner="ann", name="ann", role=Role.NEW, files=[file]))
    with store.session() as session:
        delete_unused_texts(session, [ids[digest_of("used")], ids[digest_of("unused")]])
    with store.reading() as session:
        assert sorted(read_texts(session, ids).values()) == ["not asked about", "used"]
