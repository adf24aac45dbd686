"""The cost of a billion documents on a cluster, computed from the figures that benchmarks/corpus.py has measured.

    python benchmarks/scale.py [docs/corpus.md]
    python benchmarks/scale.py --measure PAGES      (a folder that generated_pages.py made: what one process must do)

Reads the table of seconds from the page (or from any file with what the benchmark printed) and carries each step on:
its processor time at the greater number, times what it grew by from the lesser to the greater, once more for each
further factor of ten. Clustering is carried on phase by phase. So a step that grows faster than the documents is not
flattered. Start-up is part of the lesser number's time, which makes growth look smaller for short steps; no step is
taken to grow by less than ten.
"""

from __future__ import annotations

import math
import re
import resource
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

DOCUMENTS = 10**9
CLUSTERS = ((10, 16), (50, 16), (200, 16))  # machines, cores each
BUSY = 0.6  # of the cores' time that is work: the rest is waiting for the network, for stragglers, for the driver
SERIAL = 57e-6  # processor seconds of the process that writes, for each document: what --measure prints
REGISTERS = 4 * 16  # bytes for each document in the writing process: four hashes with a number each
LABELS = 4 * 8  # bytes for each document in the process that joins links: parent, label, weight, and room to work

_STEP = re.compile(r"^\| (?P<name>(?:add|clusters,)[^|]*)\|(?P<cells>.*)$", re.MULTILINE)
_CELL = re.compile(r"[\d.,]+ \((?P<cpu>[\d.]+); [\d.]+ GB\)")
_HEAD = re.compile(r"^\| seconds \(processor[^|]*\|(?P<cells>.*)$", re.MULTILINE)
_PHASE = re.compile(
    r"^\| of clusters: (?P<name>[^|]*?) \| \((?P<few>[\d.]+)\) \| \((?P<many>[\d.]+)\) \|", re.MULTILINE
)
_UPDATE = "update"  # a phase of another step
_DISK = re.compile(r"^\| on disk, MB \|(?P<cells>.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Measured:
    """The processor seconds of each step for two numbers of documents, and the bytes on disk."""

    documents: tuple[int, int]
    steps: dict[str, tuple[float, float]]
    disk: float  # bytes for each document

    @staticmethod
    def read(text: str) -> Measured:
        head, disk = _HEAD.search(text), _DISK.search(text)
        if head is None or disk is None:
            raise SystemExit("there is no table of figures in it")
        numbers = [int(cell.replace(",", "")) for cell in re.findall(r"[\d,]{4,}", head["cells"])]
        steps = {}
        for match in _STEP.finditer(text):
            cells = [float(cell["cpu"]) for cell in _CELL.finditer(match["cells"])]
            if len(cells) == 2:
                steps[match["name"].strip()] = (cells[0], cells[1])
        steps = _by_phase(steps, text)
        megabytes = [float(cell.replace(",", "")) for cell in re.findall(r"[\d,]+(?= \|)", disk["cells"])]
        return Measured((numbers[0], numbers[1]), steps, megabytes[1] * 1e6 / numbers[1])

    def projected(self, step: str) -> float:
        """Processor seconds for a billion documents."""
        few, many = self.steps[step]
        decades = math.log10(self.documents[1] / self.documents[0])
        growth = max(10.0, (many / few) ** (1 / decades))
        return many * growth ** math.log10(DOCUMENTS / self.documents[1])


def _by_phase(steps: dict[str, tuple[float, float]], text: str) -> dict[str, tuple[float, float]]:
    """The steps with the first clustering by its phases, each of which grows in its own way. The clusterings after it
    find these done, and are left out, as is what happens to single documents."""
    phases = {
        f"clusters, R ≥ 0.5: {match['name']}": (float(match["few"]), float(match["many"]))
        for match in _PHASE.finditer(text)
        if not match["name"].startswith(_UPDATE)
    }
    adding = {name: times for name, times in steps.items() if name.startswith("add ") and name != "add one"}
    return adding | phases if phases else steps


def show(measured: Measured) -> None:
    """Print the computation as tables."""
    few, many = (f"{number:,}" for number in measured.documents)
    sizes = " | ".join(f"{machines} × {cores} cores" for machines, cores in CLUSTERS)
    print(f"| step | processor s, {few} | {many} | growth | a billion: core hours | {sizes} |")
    print("| --- |" + " ---: |" * (4 + len(CLUSTERS)))
    total = 0.0
    for step, (a, b) in measured.steps.items():
        seconds = measured.projected(step)
        total += seconds
        print(f"| {step} | {a:,.3f} | {b:,.3f} | {b / a:.1f}× | {seconds / 3600:,.0f} | {_hours(seconds)} |")
    print(f"| **all** | | | | {total / 3600:,.0f} | {_hours(total)} |")
    print()
    print("| what a billion documents need | |")
    print("| --- | ---: |")
    print(f"| on disk, with lookups and kept phases | {measured.disk * DOCUMENTS / 1e12:.1f} TB |")
    print(f"| on one machine: memory of the process that writes | {REGISTERS * DOCUMENTS / 1e9:.0f} GB |")
    print(f"| on one machine: memory of the process that joins links | {LABELS * DOCUMENTS / 1e9:.0f} GB |")
    print(f"| on one machine: time of the process that writes | {SERIAL * DOCUMENTS / 3600:.1f} h |")


def _hours(seconds: float) -> str:
    return " | ".join(f"{seconds / 3600 / (machines * cores * BUSY):,.1f} h" for machines, cores in CLUSTERS)


def measure(pages: Path) -> None:
    """Print how much of adding is done by the one process that writes, and how much by those that read."""
    from moss.corpus.ingest.add import add

    files = sorted(str(path) for path in pages.glob("a-*.jsonl"))[:10]
    before = _used(resource.RUSAGE_SELF), _used(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        documents = add(Path(folder) / "corpus", files).documents
    written, read = (
        (_used(who) - already) / documents * 1e6
        for who, already in zip((resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN), before, strict=True)
    )
    print(
        f"{documents:,} documents: {written:.0f} µs each in the process that writes, {read:.0f} µs in those that read"
    )


def _used(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(Path(sys.argv[2]))
        raise SystemExit
    page = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "corpus.md"
    show(Measured.read(page.read_text()))
