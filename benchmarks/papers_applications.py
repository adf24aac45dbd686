"""What the papers say can be done, and the command that does it."""

from __future__ import annotations

from findings import Section, Table

WINNOWING = [
    ("fingerprints of k-grams, selected by window (3)", "`moss compare`; `--noise`, `--guarantee`"),
    ("robust winnowing (5.1)", "always; `moss/engine/winnowing.py`"),
    ("all-to-all matching by an index (2.3)", "`moss compare`; for one document, `moss corpus query`"),
    ("a window widened for queries (3.2)", "`moss corpus query --widen N`"),
    ("only the smallest fingerprints of a query are looked up (3.2)", "no: a wider window does it with a guarantee"),
    (
        "plagiarism of programs, base files, common passages (5.2)",
        "`moss compare -b`, `-m`; `moss serve`; MOSS's protocol",
    ),
]
MANKU = [
    ("simhash of 64 bits (2)", "`moss corpus add` stores one for each document"),
    ("sorted tables of permuted fingerprints, online queries (3.1)", "`moss corpus serve`: `/near`"),
    ("choice of the number of tables (3.1.1)", "by itself, for the size at hand; the table above"),
    ("interpolation search (3.1)", "always; `moss/corpus/search/interpolation.py`"),
    ("compressed tables (3.2)", "`moss corpus serve --compressed`"),
    ("batch queries (3.3)", "`moss corpus near --file`, `--list`; `/near` with `texts`"),
    ("a crawler asks whether it has a page already (1)", "`moss corpus serve`"),
    ("web mirrors (5.2 a)", "`moss corpus mirrors`"),
    ("related documents (5.2 b)", "no: that is likeness of meaning, ours is of words"),
    ("data extraction from templates (5.2 c)", "no: it compares markup, which we leave out"),
    ("plagiarism (5.2 d)", "`moss compare`, `moss corpus query`"),
    ("spam sent in masses (5.2 e)", "`moss corpus near`, on mails as files or records"),
    ("duplicates of one field's documents, file systems (5.1, 5.2 f)", "`moss corpus add FOLDER`, `near`, `clusters`"),
    ("shingles as features (5.3 a)", "`moss corpus clusters`; as features of simhashes in the table above"),
    ("words with weights as features (5.3 b)", "`moss corpus add`: each word weighs by how often the text has it"),
    ("links and their texts as features (5.3 c, d)", "no: a corpus has texts and no graph of links"),
    ("phrases as features (5.3 e)", "no: they would have to be told for each language"),
    ("shingles by modulus as signatures (5.4 a)", "`moss corpus clusters`"),
    ("min-hash, checksums of buckets as signatures (5.4 b, d)", "no: samples by modulus tell containment, too"),
    ("length of documents (6 A)", "`--least-words`, `--most-words` of `near` and `query`"),
    ("documents that never have duplicates are pruned (6 B)", "no: nothing tells them beforehand"),
    ("categories such as languages (6 C)", "`add --language`; `--language`, `--host` of `near` and `query`"),
    ("advertisements and times are removed first (6 D)", "`moss corpus add` of a crawl keeps a page's main text"),
    ("sensitivity to features and weights (6 E)", "the table above, by `benchmarks/papers.py`"),
    ("focused crawlers (6 F)", "`moss corpus serve` answers any crawler"),
    ("clusters of near-duplicates (6 G)", "`moss corpus near` groups them; `moss corpus clusters`"),
]
BRODER = [
    ("resemblance and containment (2)", "`moss corpus clusters --resemblance`, `--containment`"),
    ("estimates from sketches, and their error (3)", "`moss corpus why` prints both, and the exact value"),
    ("samples of fixed size, MIN (3)", "no command: samples MOD tell containment as well"),
    ("clustering in four phases (4.1)", "`moss corpus clusters`"),
    ("query support: from address to cluster and back (4.2)", "`moss corpus locate`, `group`, `clusters --json`"),
    ("common shingles (5.1)", "`moss corpus clusters --common`"),
    ("identical documents, by three digests (5.2)", "`moss corpus add` tells and counts them"),
    ("super shingles (5.3)", "`moss corpus clusters --super`"),
    ("features other than words (6)", "programs by structure; sounds and pictures: no"),
    ("alternatives to a given address (6.1)", "`moss corpus locate`"),
    ("other policies by the last phase alone (6.1)", "`moss corpus clusters` with another threshold"),
    ("resemblance on the fly, for any document (6.1)", "`moss corpus query`; `moss corpus serve`: `/query`"),
    ("lost and found (6.2)", "`moss corpus locate`: the newest that is still there; `/locate`"),
    ("sweeps merged into old clusters (6.2)", "`moss corpus add` of the next sweep; clusters keep their names"),
    ("clusters among search results (6.3)", "`moss corpus group --list`; `/group`"),
    ("who has a copy of something that has changed (6.4)", "`moss corpus locate --json`, `moss corpus query`"),
    ("how often and how much pages change (6.5)", "`moss corpus changes`, `moss corpus versions`"),
    ("how often they move, within and between servers (6.5)", "`moss corpus changes`: moved, elsewhere"),
    ("how long they live, how many are born and die (6.5)", "`moss corpus changes`: new, gone, lifetime"),
    ("copies and small changes of protected texts (6.6)", "`moss corpus query`, `moss compare -a corpus:NAME`"),
    ("another sample from a larger store, against evasion (6.6)", "no need: every fingerprint of every text is stored"),
    ("mirrors, and the nearest or fastest copy (1)", "`moss corpus mirrors`; which is nearest we cannot know"),
]  # fmt: skip


def applications() -> Section:
    """Every mechanism and application that the papers name."""
    text = (
        "Every mechanism and every application that the papers name, by the section in which they do, and the command "
        "that does it; or why none does."
    )
    named = (("winnowing", WINNOWING), ("Manku", MANKU), ("Broder", BRODER))
    tables = [Table((f"{paper} names", "here"), rows, words=True) for paper, rows in named]
    return Section("What the papers name, and the command that does it", [text, *tables])
