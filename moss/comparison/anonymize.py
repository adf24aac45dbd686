"""Anonymity: owners become pseudonyms everywhere, inside the code too, before anything is compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from moss.anonymity import NEUTRAL, Remover, hide_in_path, hide_in_problems, in_texts, names_of, pseudonyms_for
from moss.intake import Intake
from moss.model import GitHistory, Role, SourceFile, Submission


def anonymize(intake: Intake) -> Intake:
    """The submissions without their owners' names, in ids, paths, texts and problems."""
    people = sorted((s for s in intake.submissions if s.role is not Role.BASE), key=lambda s: s.id)
    pseudonyms = pseudonyms_for(sorted({s.owner for s in people}))
    names = names_of(people, pseudonyms)
    texts, paths = in_texts(names, people), Remover(names)
    seen: Counter[str] = Counter()
    hidden = []
    for person in people:
        pseudonym = pseudonyms[person.owner]
        seen[pseudonym] += 1
        suffix = f"-{seen[pseudonym]}" if seen[pseudonym] > 1 else ""
        files = tuple(_hide_in_file(file, texts, paths) for file in person.files)
        skipped = hide_in_problems(person.skipped, paths)
        bare = replace(
            person, account="", section="", time=None, dated=None, version=None, history=_nameless(person.history)
        )
        hidden.append(replace(bare, id=pseudonym + suffix, owner=pseudonym, files=files, skipped=skipped))
    base = (s for s in intake.submissions if s.role is Role.BASE)
    return Intake((*hidden, *base), hide_in_problems(intake.problems, paths))


def _nameless(history: GitHistory | None) -> GitHistory | None:
    """The history with a number for each author. Dates stay: which side had a passage first is what is asked of it."""
    if history is None:
        return None
    authors = {author: number for number, author in enumerate(dict.fromkeys(c.author for c in history.commits), 1)}
    commits = [
        replace(commit, id="", author=f"author {authors[commit.author]}", mail="", subject="")
        for commit in history.commits
    ]
    return replace(history, commits=tuple(commits))


def without_names(submissions: Sequence[Submission], people: Collection[str]) -> list[Submission]:
    """These submissions with none of these people named in paths, texts and problems; ids and owners stay."""
    nobody = [Submission(name, name, ()) for name in people]
    names = names_of(nobody, dict.fromkeys(people, NEUTRAL))
    texts, paths = in_texts(names, submissions), Remover(names)
    return [
        replace(each, files=tuple(_hide_in_file(file, texts, paths) for file in each.files),
                skipped=hide_in_problems(each.skipped, paths), history=_nameless(each.history), account="",
                section="")
        for each in submissions
    ]  # fmt: skip


def _hide_in_file(file: SourceFile, in_texts: Remover, in_paths: Remover) -> SourceFile:
    path = hide_in_path(file.path, in_paths)
    if not file.cells:
        return replace(file, path=path, text=in_texts(file.text))
    text, cells, done = "", [], 0
    for cell in file.cells:
        text += file.text[done : cell.start]
        inside = in_texts(file.text[cell.start : cell.end])
        cells.append(replace(cell, start=len(text), end=len(text) + len(inside)))
        text += inside
        done = cell.end
    return replace(file, path=path, text=text + file.text[done:], cells=tuple(cells))
