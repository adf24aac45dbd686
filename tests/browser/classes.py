"""Classes of people with names, as a learning platform hands them over: the sample programs in a zip of zips."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

SAMPLES = Path(__file__).parents[2] / "sample_submissions"

LIBRARY = {
    "ada": "Ada Lindqvist", "bela": "Béla Kovács", "chiara": "Chiara Moretti", "emeka": "Emeka Obi",
    "fatima": "Fatima Haddad", "goran": "Goran Petrović", "hana": "Hana Novák", "ines": "Inês Duarte",
    "jamal": "Jamal Wright", "kofi": "Kofi Mensah", "lena": "Lena Fischer", "mateo": "Mateo Ruiz",
    "rosa": "Rosa Castillo", "samir": "Samir Patel", "tove": "Tove Berg", "uma": "Uma Iyer",
    "viktor": "Viktor Sokolov", "wanda": "Wanda Zielińska",
}  # fmt: skip
"""Who wrote which folder of the Java programs."""

STATISTICS = {
    "aiko": "Ada Lindqvist", "jonas": "Emeka Obi", "brandon": "Chiara Moretti", "kavya": "Fatima Haddad",
    "priya": "Rosa Castillo", "dawit": "Goran Petrović", "liam": "Tove Berg", "gustavo": "Jamal Wright",
    "mei": "Inês Duarte", "carmen": "Lena Fischer", "noor": "Kofi Mensah", "elif": "Viktor Sokolov",
    "oskar": "Mateo Ruiz", "hiro": "Samir Patel", "quentin": "Uma Iyer", "rania": "Hana Novák",
    "soren": "Béla Kovács", "tomas": "Wanda Zielińska", "imani": "Imani Otieno", "freya": "Freya Dahl",
}  # fmt: skip
"""The same people in the class of Python programs, in which some of them have copied again."""


def zipped(members: Mapping[str, bytes]) -> bytes:
    """A zip archive with these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their paths in it."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def moodle_export(
    sample: str, names: Mapping[str, str], who: Iterable[str], more: Mapping[str, bytes] | None = None
) -> bytes:
    """What Moodle gives for an assignment in which each of these handed in a zip: a zip of folders with zips."""
    submissions, places = SAMPLES / sample / "submissions", list(names)
    folders = {each: f"{names[each]}_{41_000 + places.index(each)}_assignsubmission_file_" for each in who}
    handed_in = {f"{folder}/{each}.zip": zipped(files_of(submissions / each)) for each, folder in folders.items()}
    return zipped({**handed_in, **(more or {})})
