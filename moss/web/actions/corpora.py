"""Corpora of the server: which of them the visitor may search or add to, and adding an assignment to one."""

from __future__ import annotations

from moss.corpus.storage.catalog import CatalogEntry, entries_in
from moss.messages import gettext as _
from moss.store.courses.corpus_archiving import clean_corpus
from moss.store.courses.rights import all_rights, claim_corpus, uses_of
from moss.store.tables import AssignmentRow
from moss.store.validation import RefusedError
from moss.web.request.context import audit, db, me, server, start_job


def all_corpora() -> list[CatalogEntry]:
    """The server's corpora, including those that cannot be read."""
    return entries_in(server().config.data)


def my_corpora(*, to_add: bool = False) -> list[CatalogEntry]:
    """The corpora that the visitor may search, or may add to."""
    found = all_corpora()
    uses = uses_of(db(), me(), [corpus.name for corpus in found])
    return [corpus for corpus in found if (uses[corpus.name].add if to_add else uses[corpus.name].search)]


def readable_corpora() -> set[str]:
    """The names of the corpora that the visitor's runs can be compared with."""
    return {corpus.name for corpus in my_corpora() if not corpus.problem}


def keep_in_corpus(assignment: AssignmentRow, given: str) -> str:
    """Start the job that adds an assignment's submissions to a corpus, and return the corpus's name.

    A corpus that does not exist yet is made, and belongs to the assignment's course.
    """
    name = clean_corpus(db(), assignment, given)
    there = {corpus.name: corpus.problem for corpus in all_corpora()}
    if there.get(name):
        raise RefusedError("corpus", _("The corpus %(name)s can’t be used: %(why)s.", name=name, why=there[name]))
    if name in there or name in all_rights(db()):
        if not uses_of(db(), me(), [name])[name].add:
            raise RefusedError("corpus", _("You can’t add to the corpus %(name)s. Choose another name.", name=name))
    else:
        claim_corpus(db(), name, assignment.course)
    start_job("shelve", {"assignment": assignment.id, "corpus": name}, assignment.course_id)
    audit("kept an assignment", course_id=assignment.course_id, assignment=assignment.name, corpus=name)
    return name
