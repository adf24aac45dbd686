"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py letters FILE
"""
import sys
from functools import reduce
from itertools import chain, groupby, islice, takewhile, tee
from operator import itemgetter
from random import randrange

STOPWORDS = {
    "a", "about", "all", "an", "and", "are", "as", "at", "be", "but", "by", "for", "from", "had", "has", "have",
    "he", "her", "his", "i", "in", "is", "it", "its", "my", "not", "of", "on", "or", "our", "she", "so", "that",
    "the", "their", "they", "this", "to", "was", "we", "were", "what", "which", "who", "with", "you", "your",
}


def read_text(path):
    """The text of a file, with typographic quotes and dashes replaced by plain ones."""
    with open(path, encoding="utf-8") as file:
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


# small helpers, everything below is put together from these

def compose(*functions):
    return reduce(lambda f, g: lambda x: g(f(x)), functions)


def pairwise(iterable):
    first, second = tee(iterable)
    return zip(first, islice(second, 1, None))


def tally(iterable):
    """(item, how often) for every distinct item, by sorting and grouping"""
    return ((key, sum(1 for _ in group)) for key, group in groupby(sorted(iterable)))


def mean(numbers):
    total, n = reduce(lambda acc, x: (acc[0] + x, acc[1] + 1), numbers, (0, 0))
    return total / n if n else 0.0


# the text as streams

def letters_only(piece):
    return "".join(c for c in piece if c.isalpha() or c in "'-").strip("'-").lower()


def words(text):
    return filter(None, map(letters_only, text.split()))


def sentences(text):
    marked = text.replace("!", ".").replace("?", ".")
    return filter(None, (list(words(part)) for part in marked.split(".")))


# the commands: each takes text and number and yields lines

def stats(text, _):
    lengths = [len(s) for s in sentences(text)]
    word_mean = mean(map(len, words(text)))
    yield "lines %d" % text.count("\n")
    yield "words %d" % sum(lengths)
    yield "vocabulary %d" % sum(1 for _ in tally(words(text)))
    yield "sentences %d" % len(lengths)
    yield "word length %.2f" % word_mean
    yield "sentence length %.2f" % mean(lengths)
    yield "index %.2f" % (4.71 * word_mean + 0.5 * mean(lengths) - 21.43)


def top(text, number):
    interesting = (w for w in words(text) if w not in STOPWORDS)
    ranked = sorted(tally(interesting), key=itemgetter(1), reverse=True)
    largest = ranked[0][1] if ranked else 0
    return ("{:<16}{:>5} {}".format(w, n, bar(n, largest)) for w, n in ranked[:number])


def babble(text, number):
    links = sorted(pairwise(text.split()), key=itemgetter(0))
    table = {word: [after for _, after in group] for word, group in groupby(links, key=itemgetter(0))}
    starts = list(table)

    def endless(word):
        while True:
            yield word
            choices = table.get(word, starts)
            word = choices[randrange(len(choices))]

    yield " ".join(islice(endless(starts[randrange(len(starts))]), number))


def letters(text, _):
    counted = sorted(tally(c for c in text.lower() if c.isalpha()), key=itemgetter(1), reverse=True)
    return ("%s %5d %s" % (c, n, bar(n, counted[0][1])) for c, n in counted)


COMMANDS = {f.__name__: f for f in (stats, top, babble, letters)}


def main(argv):
    if len(argv) < 2:
        fail(__doc__)
    command, path = argv[0], argv[1]
    number = 10
    if len(argv) > 2:
        if not argv[2].isdigit():
            fail("not a number: " + argv[2])
        number = int(argv[2])
    if command not in COMMANDS:
        fail("unknown command " + command)
    try:
        text = read_text(path)
    except OSError as error:
        fail(str(error))
    print("\n".join(COMMANDS[command](text, number)))


if __name__ == "__main__":
    main(sys.argv[1:])
