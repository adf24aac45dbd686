"""A corpus on Spark beside the same corpus on DuckDB: what each step takes, and whether the results are the same.

    python benchmarks/spark.py [--documents 20000] [--master local[2]] [--memory 1GB] [--without-spark]

Pages are generated from real text (generated_pages.py), then added and clustered by `moss corpus`, once by each engine.
Seconds of the processor are those of the command and of all processes it has started: with local[N] all of Spark's are
among these, with another master only the driver's.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from generated_pages import generate
from measuring import run as measure

Times = dict[str, tuple[float, float]]
"""For each step its seconds by the clock and of the processor."""


def measured(*arguments: str) -> tuple[float, float]:
    """Seconds by the clock and of the processor that a command of `moss corpus` takes."""
    step = measure(arguments[0], [sys.executable, "-m", "moss", "corpus", *arguments])
    return step.seconds, step.cpu


def run(folder: Path, name: str, engine: list[str], memory: str) -> tuple[Times, object]:
    """The times of the steps of one engine, and the clusters."""
    corpus, result = str(folder / name), folder / f"{name}.json"
    options = ["--memory", memory, "--quiet", *engine]
    pages = [str(path) for path in sorted((folder / "pages").glob("[ab]-*.jsonl"))]
    times = {"add": measured("add", corpus, *pages, *options)}
    for step, resemblance in (("clusters", "0.5"), ("clusters, another threshold", "0.8")):
        times[step] = measured("clusters", corpus, "--resemblance", resemblance, "--json", str(result), *options)
    return times, json.loads(result.read_text())["clusters"]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--without-spark", action="store_true", help="DuckDB alone, where there is no Java")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="moss-benchmark-") as name:
        folder = Path(name)
        generate(folder / "pages", given.documents)
        print(f"{given.documents:,} documents, {given.master}, load {os.getloadavg()[0]:.1f}", flush=True)
        duck, expected = run(folder, "duckdb", [], given.memory)
        if given.without_spark:
            for step, (clock, processor) in duck.items():
                print(f"{step}, DuckDB alone: {clock:.1f} s, processor {processor:.1f} s")
            return
        spark, found = run(folder, "spark", ["--engine", "spark", "--master", given.master], given.memory)
        show(duck, spark)
        print("the same clusters" if found == expected else "DIFFERENT clusters")


def show(duck: Times, spark: Times) -> None:
    """Print what each step takes, beside the other engine."""
    print("| step | DuckDB, s | Spark, s | ratio | processor: DuckDB, s | Spark, s | ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for step, (clock, processor) in duck.items():
        theirs, theirs_processor = spark[step]
        print(
            f"| {step} | {clock:.1f} | {theirs:.1f} | {theirs / clock:.1f} "
            f"| {processor:.1f} | {theirs_processor:.1f} | {theirs_processor / processor:.1f} |"
        )


if __name__ == "__main__":
    main()
