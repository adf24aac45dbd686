"""Teams whose work a download holds once for each member.

Moodle before 4.1 puts what a team handed in into a folder for each of them, with the team's name before theirs. Nothing
but the files says that this is one submission, and not that of students who copied from each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from moss.intake.people import Person, Read, Sighting, Who

_SURE_OF_TEAMS = 2  # with several members


def with_teams(sightings: Sequence[Sighting], people: Sequence[Who], read: Read) -> tuple[list[Who], set[str]]:
    """The owners, and the children that are copies: if in each group of several people everybody has the same files,
    their work is the group's, unless all groups have the same. In a class whose groups are sections it is not so."""
    members: dict[str, dict[Person, list[Sighting]]] = defaultdict(lambda: defaultdict(list))
    names: dict[Person, Who] = {}
    for sighting, who in zip(sightings, people, strict=True):
        names[who.person] = who
        if who.section:
            members[who.section][who.person].append(sighting)
    teams = {section: each for section, each in members.items() if len(each) > 1}
    works = {_common_work(each, read) for each in teams.values()} if len(teams) >= _SURE_OF_TEAMS else {None}
    if None in works or len(works) == 1:
        return list(people), set()
    whole = {
        person: Who((section, "team"), ", ".join(names[each].label for each in sorted(team)))
        for section, team in teams.items()
        for person in team
    }
    copies = {s.child for team in teams.values() for person in sorted(team)[1:] for s in team[person]}
    return [whole.get(who.person, who) for who in people], copies


def _common_work(team: Mapping[Person, Sequence[Sighting]], read: Read) -> frozenset[tuple[str, str]] | None:
    """The files that all members have; None if they differ. Nothing is read if their names already do."""
    first, *others = [_files(mine) for mine in team.values()]
    if not first or any(mine.keys() != first.keys() for mine in others):
        return None
    found = set()
    for file, path in first.items():
        text = read(path)
        if text is None or any(read(mine[file]) != text for mine in others):
            return None
        found.add((file, text))
    return frozenset(found)


def _files(sightings: Sequence[Sighting]) -> dict[str, str]:
    """The path of each file of one person, by what that has in common with those of the others."""
    found = {}
    for sighting in sightings:
        start = sighting.child.index("_assign")
        for entry in sighting.inside:
            if entry.chunks:
                found[entry.path[start:]] = entry.path
    return found
