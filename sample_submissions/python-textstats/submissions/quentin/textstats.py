"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py zipf FILE
"""
import random
import re
import sys
from bisect import insort
from math import log10

STOPWORDS = {
    "a", "about", "all", "an", "and", "are", "as", "at", "be", "but", "by", "for", "from", "had", "has", "have",
    "he", "her", "his", "i", "in", "is", "it", "its", "my", "not", "of", "on", "or", "our", "she", "so", "that",
    "the", "their", "they", "this", "to", "was", "we", "were", "what", "which", "who", "with", "you", "your",
}


def read_text(path):
    """The text of a file, with typographic quotes and dashes replaced by plain ones."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    for fancy, plain in [("\u2018", "'"), ("\u2019", "'"), ("\u201c", '"'), ("\u201d", '"'), ("\u2014", " - ")]:
        text = text.replace(fancy, plain)
    return text


def bar(value, largest, width=40):
    """A bar of # characters; the largest value gets the full width."""
    if largest == 0:
        return ""
    return "#" * max(1, round(width * value / largest))


def fail(message):
    print("textstats: " + message, file=sys.stderr)
    sys.exit(2)


EDGES = re.compile(r"^[^a-z0-9]+|[^a-z0-9]+$")


def normal(piece):
    """Iterate over the words of a text.

    It is surprisingly hard to say what a word is. I decided that a word is what remains
    when you take the pieces between white space, throw away all punctuation at both ends
    and make it lower case. This keeps "don't" and "well-known" in one piece, which I think
    is what most people expect, but it also means that "and/or" is a single word.
    Numbers are words, too, because somebody who reads the text aloud has to speak them.
    """
    return EDGES.sub("", piece.lower())


class Meter:
    """Reads a text line by line and keeps running totals, so a file of any size would fit."""

    def __init__(self):
        self.n_lines = self.n_words = self.n_chars = self.n_stops = 0
        self.table = {}

    def feed(self, line):
        # A sentence ends at a full stop, exclamation mark or question mark that is followed by
        # white space. The white space is important: without it the number 3.14 would be the end
        # of a sentence. Abbreviations such as "e.g. this" are still counted wrongly; a list of
        # abbreviations would help, but there are always some that you forget, and for a long
        # text the mistake is so small that nobody will ever notice it.
        self.n_stops += len(re.findall(r"[.?!](?=\s|$)", line))
        self.n_lines += 1
        for w in filter(None, map(normal, line.split())):
            self.n_words += 1
            self.n_chars += len(w)
            self.table[w] = 1 + self.table.get(w, 0)

    def per_word(self):
        return self.n_chars / self.n_words if self.n_words else 0

    def per_sentence(self):
        return self.n_words / (self.n_stops or 1)


def measure(text):
    m = Meter()
    for line in text.splitlines():
        m.feed(line)
    return m


def ranking(table, skip=()):
    board = []
    for w, k in table.items():
        if w not in skip:
            insort(board, (-k, w))
    return [(w, -k) for k, w in board]


def run_stats(text, _):
    m = measure(text)
    print(m.n_lines, "lines")
    print(m.n_words, "words,", len(m.table), "distinct")
    print(m.n_stops, "sentences")
    print("%.1f characters/word, %.1f words/sentence" % (m.per_word(), m.per_sentence()))
    print("ARI %.1f" % (4.71 * m.per_word() + m.per_sentence() / 2 - 21.43))


def run_top(text, n):
    board = ranking(measure(text).table, STOPWORDS)[:n]
    width = max((len(w) for w, _ in board), default=0)
    for w, k in board:
        print(w.rjust(width), k, bar(k, board[0][1], 50 - width))


def run_babble(text, n):
    """Write random text that looks like the original.

    The trick: jump to a random place in the original, read on until a word comes along that
    we have seen somewhere else as well, and then continue at that other place. No table is
    needed, only the list of positions of every word. The result has exactly the same
    probabilities as the usual table of followers, because choosing a random position of a
    word and taking its neighbour is the same as choosing a random follower.
    """
    stream = text.split()
    w = stream[0]
    for _ in range(n):
        sys.stdout.write(w + " ")
        spots = [i for i, other in enumerate(stream[:-1]) if other == w]
        w = stream[random.choice(spots) + 1] if spots else random.choice(stream)
    sys.stdout.write("\n")


def run_zipf(text, _):
    """Zipf says rank times frequency is constant, so log rank + log frequency should be flat."""
    for rank, (w, k) in enumerate(ranking(measure(text).table), start=1):
        if rank & (rank - 1) == 0:
            print("%5d %-12s %.2f" % (rank, w, log10(rank) + log10(k)))


def main(argv):
    if len(argv) < 2:
        fail(__doc__)
    command, path = argv[0], argv[1]
    number = 10
    if len(argv) > 2:
        if not argv[2].isdigit():
            fail("not a number: " + argv[2])
        number = int(argv[2])
    try:
        text = read_text(path)
    except OSError as error:
        fail(str(error))
    table = {"stats": run_stats, "top": run_top, "babble": run_babble, "zipf": run_zipf}
    table.get(command, lambda *_: fail("unknown command " + command))(text, number)


if __name__ == "__main__":
    main(sys.argv[1:])
