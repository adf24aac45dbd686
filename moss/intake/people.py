"""The owners of the files and folders in a download, found in names as the platform writes them.

Each function is given all children whose names fit a platform's pattern, and answers for each of them, and whether that
is certain: it is not when the names could just as well be an ordinary class's. Two submissions of one person are never
compared, hence people are kept apart whenever there is doubt.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from unicodedata import normalize

from moss.intake.entries import Entry
from moss.intake.submission_lists import GRADESCOPE_METADATA, submitters

# With these begin family names and double first names, in which they stand before a hyphen.
_FIRST_WORDS = (
    "abu al ana anna anne ben bin charles claude da dal de del den der des di do dos du el eva franz hans ibn jean "
    "johann jose juan karl la las le li lise los luis mac maria marie mary mc o pierre rose san santa st ten ter van "
    "vom von zu zur"
)
_NAME_STARTS = frozenset(_FIRST_WORDS.split())

Person = tuple[str, str]
"""A name and the number, if any, that the platform adds to tell namesakes apart."""

Read = Callable[[str], str | None]
"""The text at a path in the download, or None."""


class Sighting(NamedTuple):
    """A child whose name fits: the groups of the pattern that it fits, and what is in it."""

    child: str
    folder: bool
    said: Mapping[str, str]
    inside: Sequence[Entry]

    def holds(self, *names: str) -> bool:
        """Whether something of one of these names is directly in it."""
        return any(entry.path.removeprefix(f"{self.child}/").partition("/")[0] in names for entry in self.inside)


class Who(NamedTuple):
    """A person, the name to show, and what the platform adds: a section of the course, an account beside the name."""

    person: Person
    label: str
    section: str = ""
    account: str = ""


class Whose(NamedTuple):
    """The owner of each child of a download, and whether all of them are certain."""

    people: Sequence[Who]
    certain: bool = True


People = Callable[[Sequence[Sighting], Read], Whose]


def by_name(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each by the name, with the number or account where there are namesakes."""
    accounts = [s.said.get("account", "") for s in sightings]
    numbers = [s.said.get("number") or account for s, account in zip(sightings, accounts, strict=True)]
    people = [(s.said["name"].strip() or number, number) for s, number in zip(sightings, numbers, strict=True)]
    whose = zip(_labelled(people), accounts, strict=True)
    return Whose([who._replace(account=account) for who, account in whose])


def by_natural_name(sightings: Sequence[Sighting], read: Read) -> Whose:
    """As `by_name`, where family names stand first."""
    return Whose(_labelled([(natural_order(s.said["name"]), s.said.get("number", "")) for s in sightings]))


def by_start(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each by what the name begins with."""
    return Whose(_labelled([(start, "") for start in starts([sighting.child for sighting in sightings])]))


def starts(names: Sequence[str]) -> list[str]:
    """The beginning of each name, up to a hyphen or underscore, or the last space, without what all begin with: that is
    no student's."""
    common = re.match(r"(?:.*[-_ ])?", common_start(names)) if len(names) > 1 else None
    left = [name[common.end() :] if common else name for name in names]
    end = next((end for end in (" - ", "_", "-", " ") if 2 * sum(end in name for name in left) > len(left)), "")
    if not end:
        return left
    return [(name.rpartition(end) if end == " " else name.partition(end))[0].strip() or name for name in left]


def _labelled(people: Sequence[Person], sections: Sequence[str] = ()) -> list[Who]:
    people = [(normalize("NFC", name), number) for name, number in people]  # some systems take accents apart
    numbers: dict[str, set[str]] = defaultdict(set)
    for name, number in people:
        numbers[name].add(number)
    labels = [name if len(numbers[name]) == 1 else f"{name}_{number}" for name, number in people]
    return list(map(Who, people, labels, sections or [""] * len(people)))


def _is_function(pairs: Sequence[tuple[object, object]]) -> bool:
    """Whether each first value comes with one second value only."""
    return len(set(pairs)) == len({first for first, _ in pairs})


def _several(people: Sequence[Person]) -> bool:
    return len(set(people)) > 1


# --- Moodle -----------------------------------------------------------------------------------------------------------

_GROUP_WORD = re.compile(
    r"(?:group|gruppe|grupo|groupe|gruppo|groep|grupp|team|équipe|equipe|lab|labor|section|sektion|tutorial|tutorium"
    r"|tutorat|übung|class|klasse|clase|classe|cohort|seminar|turma|td|tp)\b",
    re.IGNORECASE,
)


def moodle(sightings: Sequence[Sighting], read: Read) -> Whose:
    """As `by_name`; a group's name before the student's (`Group 1-Jane Doe`) is a section."""
    names = [sighting.said["name"].strip() for sighting in sightings]
    parts = _sections(sorted(set(names)))
    people = [(parts[name][1], s.said.get("number", "")) for name, s in zip(names, sightings, strict=True)]
    return Whose(_labelled(people, [parts[name][0] for name in names]))


def _sections(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The section and the student's name in each; a double name (`Anne-Marie`) stays whole."""
    shared = _are_grouped([(start, rest) for start, _, rest in (name.partition("-") for name in names)])
    return {name: _after_hyphen(name, _shared_start(name, names) if shared else _group_start(name)) for name in names}


def _are_grouped(halves: Sequence[tuple[str, str]]) -> bool:
    """Whether the first halves of names are groups, although nothing in them says so: a few stand for the whole class,
    before many different first names. Whole classes do not share a few first names."""
    if len(halves) < _SURE_OF_GROUPS or not all(start and rest for start, rest in halves):
        return False
    starts = {start.lower() for start, _ in halves}
    behind = {(start, rest.partition(" ")[0]) for start, rest in halves}
    return 2 * len(starts) <= len(halves) < 2 * len(behind) and _NAME_STARTS.isdisjoint(starts)


_SURE_OF_GROUPS = 4  # students whose names could have a group's before them


def _shared_start(name: str, names: Sequence[str]) -> int:
    """Where the group's name ends that this name shares with others."""
    if (place := _group_start(name)) >= 0:
        return place
    fellows = [each for each in names if each.partition("-")[0] == name.partition("-")[0]]
    # Two in a group may both be called Anne, so that only a start that more of them share is longer than a word.
    return common_start(fellows).rfind("-") if len(fellows) > 2 else name.find("-")


def _group_start(name: str) -> int:
    """Where a group's name ends that no person could have; 0 for the hyphen that stands for no group, -1 for none."""
    parts = name.split("-")
    with_digit = [number for number, part in enumerate(parts[:-1]) if any(c.isdigit() for c in part)]
    if with_digit:
        return len("-".join(parts[: with_digit[-1] + 1]))
    return len(parts[0]) if len(parts) > 1 and (not parts[0] or _GROUP_WORD.match(parts[0])) else -1


def _after_hyphen(name: str, place: int) -> tuple[str, str]:
    student = name[place + 1 :].strip()
    return (name[:place].strip(), student) if place >= 0 and student else ("", name)


def common_start(names: Sequence[str]) -> str:
    """The letters with which all names begin."""
    first, last = min(names), max(names)  # all others lie between these two
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]


# --- Canvas, Blackboard, Brightspace, Gradescope ----------------------------------------------------------------------


def canvas(sightings: Sequence[Sighting], read: Read) -> Whose:
    """As `by_name`, if each number is one user's, and each of a user's attachments has a number of its own. Who has
    several files has no number that could just as well count weeks (`lab_1_2_jane.py`)."""
    names = [sighting.said["name"].strip("_- ") for sighting in sightings]
    users = [(sighting.said["number"], name.lower()) for sighting, name in zip(sightings, names, strict=True)]
    files = [((s.said["number"], s.said["attachment"]), s.child) for s in sightings if s.said["attachment"]]
    count = Counter(number for number, _ in users)
    counted = any(number > 1 and len(user) < _USER_DIGITS for user, number in count.items())
    # Groups that are called 1, 2, 3, … could be anything but for the length of the other numbers.
    sure = all(map(_LONG_USER.fullmatch, count)) or not any(name.isdecimal() for name in names)
    certain = _is_function(users) and _is_function(files) and _several(users) and sure and not counted
    people = [(name or number, number) for name, (number, _) in zip(names, users, strict=True)]
    return Whose(_labelled(people), certain)


_USER_DIGITS = 3
_LONG_USER = re.compile(r"(?!(?:19|20)\d\d\Z)\d{4,}")  # which is no year


def canvas_anonymous(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each by the letters that stand for the student."""
    people = [(f"anon_{sighting.said['name']}", "") for sighting in sightings]
    return Whose(_labelled(people), _several(people))


def blackboard(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each login without the assignment's title, which is what all have in common up to an underscore."""
    written = [sighting.said["name"] for sighting in sightings]
    names = sorted(set(written))
    title = common_start(names).rpartition("_") if len(names) > 1 else names[0].rpartition("_")
    return Whose(_labelled([(name[len(title[0] + title[1]) :], "") for name in written]))


def brightspace(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each by the name; who has the same name and another number is another person.

    Of the two numbers, one may be the same for the whole class. Nobody knows whether the other is the student's or the
    submission's, unless it comes back with the same name.
    """
    names = [sighting.said["name"].strip() for sighting in sightings]
    pairs = [(sighting.said.get("number", "") or "-").split("-") for sighting in sightings]
    telling = [column for column in (0, 1) if len({pair[column] for pair in pairs}) > 1]
    # A number that comes with several names is nobody's own.
    telling = [c for c in telling if _is_function([(pair[c], name) for pair, name in zip(pairs, names, strict=True)])]
    column = _recurring(names, pairs, telling)
    return Whose(_labelled([(n, pair[column] if telling else "") for n, pair in zip(names, pairs, strict=True)]))


def _recurring(names: Sequence[str], pairs: Sequence[Sequence[str]], telling: Sequence[int]) -> int:
    """The column whose numbers come back with the same name most often; the first if none does."""
    repeated = {
        column: len(names) - len({(n, p[column]) for n, p in zip(names, pairs, strict=True)}) for column in telling
    }
    return max(telling, key=lambda column: (repeated[column], -column), default=0)


def gradescope(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each by the names in the metadata file, which must be there."""
    metadata = read(GRADESCOPE_METADATA)
    owners = {folder: about.names for folder, about in submitters(metadata or "").items()}
    return Whose([Who((s.child, ""), owners.get(s.child, s.child)) for s in sightings], metadata is not None)


# --- Autolab, PrairieLearn, contests ----------------------------------------------------------------------------------


def by_address(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each by the address or account, which is unique; letters' case does not matter in one."""
    people = [(sighting.said["name"].lower(), "") for sighting in sightings]
    first: dict[Person, str] = {}
    for person, sighting in zip(people, sightings, strict=True):
        first.setdefault(person, sighting.said["name"])
    return Whose([Who(person, first[person]) for person in people], _several(people))


_MOST_FILES = 3  # of a student, on average, if no two students have files of one name


def addressed(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each by the address in the name up to the first dot of its domain, which files' endings may follow. Not if it may
    be that of whoever marks a section: with it come many files, each of a name of its own."""
    people = [(sighting.said["name"].lower(), "") for sighting in sightings]
    rests: dict[Person, list[str]] = defaultdict(list)
    for person, sighting in zip(people, sightings, strict=True):
        rests[person].append(sighting.said["rest"])
    domains = {person: common_start(some) for person, some in rests.items()}
    plain = Counter(sighting.said["before"] + sighting.said["rest"] for sighting in sightings)
    of_graders = len(sightings) > _MOST_FILES * len(rests) and len(plain) == len(sightings)
    sole = all(sighting.child.count("@") == 1 for sighting in sightings)
    ends = {(name, name.rpartition("_")[2]) for name, _ in people}  # before which a task may stand
    sole = sole and len({end for _, end in ends}) == len(ends)
    certain = sole and _several(people) and not of_graders and all("." in domain for domain in domains.values())
    whole = {person: (_DOMAIN.match(domain) or [""])[0] for person, domain in domains.items()}
    return Whose([Who(person, person[0] + whole[person]) for person in people], certain)


_DOMAIN = re.compile(r"(?:[.-][^\W_]+)*?(?:\.[^\W\d_]{2,})+?(?=[^\w.]|\.?\Z|_|\.\w{1,5}\Z)")


def prairielearn(sightings: Sequence[Sighting], read: Read) -> Whose:
    """As `by_address`, if each submission's number belongs to one person and one question."""
    works = [(s.said["attempt"], (s.said["name"].lower(), s.said["task"])) for s in sightings]
    found = by_address(sightings, read)
    return found._replace(certain=found.certain and _is_function(works))


_CODEFORCES = re.compile(r"\d+[A-Za-z]\d?")


def contest(sightings: Sequence[Sighting], read: Read) -> Whose:
    """As `by_address`, if the number is the attempt's: were it the student's, it would come back with the name. The
    same few tasks must come back with many users, or look like those of Codeforces, or many must have tried again."""
    said = [(s.said["attempt"], (s.said["name"].lower(), s.said["task"])) for s in sightings]
    works = Counter(work for _, work in said)
    users, tasks = {name for name, _ in works}, {task for _, task in works}
    again = {name for (name, _), count in works.items() if count > 1}
    usual = len(works) > len(users) > len(tasks) or all(_CODEFORCES.fullmatch(task) for task in tasks)
    tried_again = len(users) > len(tasks) and len(again) > 1 and 3 * len(again) >= len(users)  # namesakes are rarer
    found = by_address(sightings, read)
    return found._replace(certain=found.certain and _is_function(said) and (usual or tried_again))


# --- Google Classroom, Sakai, ILIAS, Submitty, GitHub Classroom -------------------------------------------------------


def classroom(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each by the name before the hyphen, if names and files could not be the other way round (`Essay - Jane Doe`)."""
    names = [" ".join(sighting.said["name"].split()) for sighting in sightings]
    stems = [re.sub(r"(?:\s*\(\d+\))?(?:\.\w+)*\Z", "", sighting.said["file"]).casefold() for sighting in sightings]
    owners, owners_of = Counter(names), Counter(stem for stem, _ in set(zip(stems, names, strict=True)))
    usual = sum(4 * count >= 3 * len(owners) for count in owners_of.values())  # what nearly everybody's file is called
    alone = max(owners.values()) == 1 and not all(_is_personal(stem) and " " in stem for stem in stems)
    titled = len(owners_of) < len(owners) or 0 < usual < len(owners) or alone
    certain = all(map(_is_personal, names)) and len(owners) > 2 and titled
    return Whose(_labelled([(name, "") for name in names]), certain)


def _is_personal(name: str) -> bool:
    return not any(c.isdigit() for c in name) and any(c.isalpha() for c in name) and len(name.split()) <= 6


def zybooks(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each by the name, told apart by the address, which has lost its `@`."""
    names = [natural_order(sighting.said["name"].replace("_", ",", 1)) for sighting in sightings]
    return Whose(_labelled([(name, s.said["number"]) for name, s in zip(names, sightings, strict=True)]))


def natural_order(name: str) -> str:
    """`Jane Doe` for `Doe, Jane`."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma and first.strip() and "," not in first else name.strip(" ,")


SAKAI_TRACES = (
    "timestamp.txt",
    "Submission attachment(s)",
    "comments.txt",
    "feedbackText.html",
    "Feedback Attachment(s)",
)


def sakai(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each by name, told apart by account, if the files are there that only this platform writes."""
    written = [s for s in sightings if not s.folder or s.holds(*SAKAI_TRACES, f"{s.child}_submissionText.html")]
    people = [(natural_order(sighting.said["name"]), sighting.said["number"]) for sighting in sightings]
    teams = [sighting.holds("members.txt") for sighting in sightings]  # whose numbers are no accounts
    whose = [w._replace(account="" if team else w.person[1]) for w, team in zip(_labelled(people), teams, strict=True)]
    return Whose(whose, 2 * len(written) >= len(sightings))


def ilias(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each by first and last name, if numbers and accounts are all different, as those of users are."""
    said = [sighting.said for sighting in sightings]
    # In a name in another alphabet no letter may be left, which the platform writes without accents and the like.
    people = [(f"{each['first']} {each['last']}".strip() or each["login"], each["number"]) for each in said]
    distinct = len({each["number"] for each in said}) == len({each["login"] for each in said}) == len(said)
    names = {name for name, _ in people}
    whose = [who._replace(account=each["login"]) for who, each in zip(_labelled(people), said, strict=True)]
    return Whose(whose, distinct and len(names) > max(1, 0.8 * len(said)))


SUBMITTY_SETTINGS = "user_assignment_settings.json"


_ASSIGNMENT = re.compile(
    r"\d|(?:^|-)(?:hw|homework|assignment|assign|lab|project|exercise|exam|quiz|midterm|final|task)s?-", re.IGNORECASE
)
_NO_SLUG = _NAME_STARTS | frozenset(
    ["team", "group", "gruppe", "grupo", "groupe", "student", "user", "pair", "section"]
)
_SURE_OF_WORD = 5  # accounts that share a single word


def github(sightings: Sequence[Sighting], read: Read) -> Whose:
    """Each account without the assignment's slug, which is what all have in common, if that is no part of a name."""
    names = [sighting.child for sighting in sightings]
    slug = common_start(names).rpartition("-")[0] + "-"
    words = slug.strip("-").lower().split("-")
    cloned = all(sighting.holds(".git", ".github", "GRADING.md") for sighting in sightings)
    named = not _NO_SLUG.issuperset(words) and words[-1] not in _NO_SLUG
    sure = _ASSIGNMENT.search(slug) or (named and (cloned or len(words) > 1 or len(names) >= _SURE_OF_WORD))
    rests = [name[len(slug) :] for name in names]
    certain = len(slug) > 2 and sure and all(re.search("[A-Za-z]", rest) for rest in rests)
    return Whose(_labelled([(rest or name, "") for rest, name in zip(rests, names, strict=True)]), bool(certain))
