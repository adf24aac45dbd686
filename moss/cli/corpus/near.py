"""`moss corpus near`: documents that differ in almost nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click

from moss.cli.corpus.options import (
    folder_of,
    json_list,
    listed,
    of_corpus,
    one_sentence,
    opened_cluster,
    with_engine,
    with_filter,
)
from moss.cli.output import complain, data_output, print_table, printable, standard_output
from moss.messages import counted, gettext, marked, ngettext, number

_ROWS = 25  # printed in the terminal; the JSON has them all


class _NearLists(NamedTuple):
    """All near-duplicates by their addresses: how many documents were compared, and lists, as often as one asks."""

    documents: int
    groups: Callable[[], Iterator[list[str]]]
    pairs: Callable[[], Iterator[tuple[str, str, int]]]
    same: Callable[[], Iterator[list[str]]]


@click.command()
@of_corpus
@click.option(
    "--bits",
    type=click.IntRange(0, 16),
    default=3,
    show_default=True,
    help="How many of 64 bits may differ: 0 for almost identical texts, 3 for a few changed words, 6 for more.",
)
@click.option(
    "--file",
    "path",
    metavar="FILE",
    help="Only find duplicates of this document (or of those in this archive or crawl).",
)
@click.option("--list", "listing", metavar="FILE", help="The same for each path or URL in this file, one per line.")
@with_filter
@click.option("--json", "json_file", metavar="FILE", help="Write everything as JSON; - for standard output.")
@with_engine
def near(
    name: str,
    data: Path,
    memory: int,
    bits: int,
    path: str | None,
    listing: str | None,
    json_file: str | None,
    only: Any,
    **engine: Any,
) -> None:
    """Find near-duplicates: documents that differ in almost nothing.

    Every document has a fingerprint of 64 bits, and few of them change when few words change. This finds all documents
    whose fingerprints differ in at most --bits bits, without comparing every pair. It is faster than `clusters`, but
    does not find documents that only share a part; use `clusters` or `query` for those.

    \b
        moss corpus near essays
        moss corpus near essays --bits 6 --json near.json
        moss corpus near essays --file suspicious.txt
        moss corpus near pages --file today.warc.gz --host example.org
        moss corpus near pages --list files.txt --json near.json
    """
    if path is not None and listing is not None:
        raise click.UsageError(gettext("--file and --list can't be used together"))
    if path is None and listing is None and not only.is_open:
        raise click.UsageError(gettext("--host, --language and the limits on words need --file or --list"))
    from moss.corpus.storage.segments import Snapshot, local_engine

    with (
        one_sentence(),
        opened_cluster(name, memory=memory, **engine) as cluster,
        Snapshot(folder_of(name, data)) as snapshot,
        closing(local_engine(snapshot.folder, memory)) as local,
    ):
        paths = listed(listing) if listing is not None else [path] if path is not None else []
        if paths:
            _write(_of_files(snapshot, local, cluster, bits, paths, only), json_file)
        elif cluster is None:
            _write_all(_all(snapshot, local, bits), bits, json_file)
        else:
            with _all_by_many(snapshot, cluster, bits) as found:
                _write_all(found, bits, json_file)


def _all(snapshot: Any, engine: Any, bits: int) -> _NearLists:
    """All near-duplicates of a corpus, found by this machine."""
    import numpy as np

    from moss.corpus.near.duplicates import near_all
    from moss.corpus.storage.texts import addresses_of

    found = near_all(snapshot, engine, bits)
    snapshot.tables(engine)
    address = addresses_of(engine, np.concatenate([np.empty(0, np.int64), *found.groups]))
    pairs = zip(found.a.tolist(), found.b.tolist(), found.bits.tolist(), strict=True)
    named = [(address[a], address[b], differing) for a, b, differing in pairs]
    groups, same = _named(found.groups, address), _named(found.same, address)
    return _NearLists(found.documents, lambda: iter(groups), lambda: iter(named), lambda: iter(same))


@contextmanager
def _all_by_many(snapshot: Any, cluster: Any, bits: int) -> Iterator[_NearLists]:
    """All near-duplicates of a corpus, found by a cluster, which may be more than memory holds."""
    from moss.corpus.near.near_by_many import near_all_by_many
    from moss.corpus.storage.segments import scratch_of

    with (
        TemporaryDirectory(prefix="near-", dir=scratch_of(snapshot.folder.resolve())) as folder,
        closing(cluster.engine_at(Path(folder))) as many,
    ):
        found = near_all_by_many(snapshot, many, Path(folder), bits)
        yield _NearLists(found.documents, found.groups, found.pairs, found.same)


def _write_all(found: _NearLists, bits: int, json_file: str | None) -> None:
    """Write the lists as JSON, one after the other, and print the first groups."""
    plain = {"format": "moss-corpus-near", "version": 1, "bits": bits, "documents": found.documents}
    groups = ({"documents": group} for group in found.groups())
    pairs = ({"a": a, "b": b, "bits": differing} for a, b, differing in found.pairs())
    with json_list(plain, "same", json_file, groups=groups, pairs=pairs) as add:
        for addresses in found.same() if json_file else ():
            add(addresses)
    if json_file != "-":
        with standard_output():
            _print_groups(found, bits)


def _named(groups: Sequence[Any], address: Mapping[int, str]) -> list[list[str]]:
    """The groups with at least two different addresses: sightings of one address are not duplicates."""
    named = (list(dict.fromkeys(address[doc] for doc in group.tolist())) for group in groups)
    return [group for group in named if len(group) > 1]


def _of_files(snapshot: Any, engine: Any, cluster: Any, bits: int, paths: list[str], only: Any) -> dict[str, Any]:
    """The near-duplicates of files' documents, as plain data."""
    import numpy as np

    from moss.corpus.near.duplicates import near_each
    from moss.corpus.near.near_by_many import near_each_by_many
    from moss.corpus.storage.texts import addresses_of

    snapshot.manifest.recipe.check_rules(snapshot.folder)
    asked = _fingerprints_in(paths)
    fingerprints = np.array([fingerprint for _, fingerprint in asked], np.uint64)
    if cluster is None:
        answers = near_each(snapshot, engine, fingerprints, bits)
    else:
        answers = near_each_by_many(snapshot, cluster, fingerprints, bits)
    if not only.is_open:
        wanted = _accepted(snapshot, engine, {doc for answer in answers for doc, _ in answer}, only)
        answers = [[item for item in answer if item[0] in wanted] for answer in answers]
    snapshot.tables(engine)
    address = addresses_of(engine, np.array([doc for answer in answers for doc, _ in answer], np.int64))
    return {
        "bits": bits,
        "queries": [
            {"address": name, "near": [{"address": address[doc], "bits": differing} for doc, differing in answer]}
            for (name, _), answer in zip(asked, answers, strict=True)
        ],
    }


def _fingerprints_in(paths: list[str]) -> list[tuple[str, int]]:
    """The address and the fingerprint of each document with words in these files; complains of what cannot be read."""
    from moss.corpus.errors import CorpusError
    from moss.corpus.ingest.documents import CorpusDocument
    from moss.corpus.ingest.sources import read_file
    from moss.corpus.near.duplicates import fingerprints_of
    from moss.model import Problem

    read = [item for path in paths for item in read_file(path)]
    documents = [item for item in read if isinstance(item, CorpusDocument)]
    for problem in read:
        if isinstance(problem, Problem):
            if len(read) == 1:
                raise CorpusError(f"{problem.path}: {problem.reason}")
            complain(f"{printable(problem.path)}: {printable(problem.reason)}")
    fingerprints, wordy = fingerprints_of(documents)
    if not wordy.any():
        raise CorpusError(
            gettext("there are no words in %(file)s", file=paths[0])
            if len(paths) == 1
            else gettext("there are no words in any of the files")
        )
    each = zip(documents, fingerprints.tolist(), wordy.tolist(), strict=True)
    return [(document.address, fingerprint) for document, fingerprint, has in each if has]


def _accepted(snapshot: Any, engine: Any, docs: set[int], only: Any) -> set[int]:
    """The documents among these that meet the conditions."""
    from moss.corpus.storage.tables import DOCUMENTS, TONGUES

    if not docs:
        return set()
    snapshot.tables(engine)
    numbers = ", ".join(map(str, sorted(docs)))
    rows = engine.fetch(
        f"SELECT d.doc, d.address, d.words, coalesce(t.tongue, '') AS tongue FROM {DOCUMENTS} d "
        f"LEFT JOIN {TONGUES} t ON t.doc = d.doc WHERE d.doc IN ({numbers})"
    )
    columns = (rows[name].tolist() for name in ("doc", "address", "tongue", "words"))
    return {doc for doc, *facts in zip(*columns, strict=True) if only.accepts(*facts)}


def _write(plain: Mapping[str, Any], json_file: str | None) -> None:
    import json

    from moss.report.atomic_files import whole_file

    full = {"format": "moss-corpus-near", "version": 1, **plain}
    if json_file == "-":
        with data_output() as file:
            json.dump(full, file, ensure_ascii=False, indent=1)
            file.write("\n")
        return
    if json_file:
        with whole_file(Path(json_file)) as file:
            json.dump(full, file, ensure_ascii=False, indent=1)
    with standard_output():
        _print_answers(plain)


def _print_groups(found: _NearLists, bits: int) -> None:
    rows, groups, inside = [], 0, 0
    for group in found.groups():
        groups, inside = groups + 1, inside + len(group)
        if groups <= _ROWS:
            rows.append((str(groups), str(len(group)), *group[:2]))
    if rows:
        print_table((marked("group"), "documents", marked("first"), "and"), rows, right=("group", "documents"))
    click.echo(
        gettext(
            "Groups: %(groups)s, with %(inside)s of %(documents)s that differ in at most %(bits)s bits",
            groups=number(groups),
            inside=number(inside),
            documents=counted(found.documents, "document"),
            bits=bits,
        )
    )


def _print_answers(plain: Mapping[str, Any]) -> None:
    for query in plain["queries"]:
        rows = [(str(found["bits"]), found["address"]) for found in query["near"][:_ROWS]]
        if rows:
            print_table((marked("bits"), gettext("near %(address)s", address=query["address"])), rows, right=("bits",))
        click.echo(
            ngettext(
                "%(n)s document differs in at most %(bits)s bits from %(address)s",
                "%(n)s documents differ in at most %(bits)s bits from %(address)s",
                len(query["near"]),
                n=number(len(query["near"])),
                bits=plain["bits"],
                address=printable(query["address"]),
            )
        )
