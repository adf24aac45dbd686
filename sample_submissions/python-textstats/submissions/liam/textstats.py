"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py chars FILE
"""
import sys
from random import randrange
from operator import itemgetter
from itertools import groupby, islice, tee
from functools import reduce

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


def bar(value, largest, width=30):
    """A bar of # characters; the largest value gets the full width."""
    if largest == 0:
        return ""
    return "=" * max(1, round(width * value / largest))


def fail(message):
    print("textstats: " + message, file=sys.stderr)
    sys.exit(2)


def chars(text, _):
    ordered = sorted(occurrences(c for c in text.lower() if c.isalpha()), key=itemgetter(1), reverse=True)
    return ("%s %5d %s" % (c, n, bar(n, ordered[0][1])) for c, n in ordered)


def babble(text, number):
    pairs = sorted(neighbours(text.split()), key=itemgetter(0))
    follow = {word: [after for _, after in group] for word, group in groupby(pairs, key=itemgetter(0))}
    first = list(follow)

    def forever(word):
        while True:
            yield word
            options = follow.get(word, first)
            word = options[randrange(len(options))]

    yield " ".join(islice(forever(first[randrange(len(first))]), number))


def top(text, number):
    good = (w for w in words(text) if w not in STOPWORDS)
    result = sorted(occurrences(good), key=itemgetter(1), reverse=True)
    biggest = result[0][1] if result else 0
    return ("{:<16}{:>5} {}".format(w, n, bar(n, biggest)) for w, n in result[:number])


def stats(text, _):
    word_avg = avg(map(len, words(text)))
    sizes = [len(s) for s in sentences(text)]
    yield "sentences: %d" % len(sizes)
    yield "words: %d" % sum(sizes)
    yield "distinct: %d" % sum(1 for _ in occurrences(words(text)))
    yield "lines: %d" % text.count("\n")
    yield "sentence length: %.2f" % avg(sizes)
    yield "word length: %.2f" % word_avg
    yield "reading index: %.2f" % (4.71 * word_avg + 0.5 * avg(sizes) - 21.43)


# text to words and sentences

def sentences(text):
    dots = text.replace("?", ".").replace("!", ".")
    return filter(None, (list(words(part)) for part in dots.split(".")))


def words(text):
    return filter(None, map(strip_rest, text.split()))


def strip_rest(piece):
    return "".join(c for c in piece if c.isalpha() or c in "'-").strip("'-").lower()


# general functions

def avg(numbers):
    total, n = reduce(lambda acc, x: (acc[0] + x, acc[1] + 1), numbers, (0, 0))
    return total / n if n else 0.0


def occurrences(iterable):
    return ((key, sum(1 for _ in group)) for key, group in groupby(sorted(iterable)))


def neighbours(iterable):
    a, b = tee(iterable)
    return zip(a, islice(b, 1, None))


COMMANDS = {f.__name__: f for f in (chars, babble, top, stats)}


def main(argv):
    if len(argv) < 2:
        fail(__doc__)
    command, path = argv[0], argv[1]
    if command not in COMMANDS:
        fail("unknown command " + command)
    number = 10
    if len(argv) > 2:
        if not argv[2].isdigit():
            fail("not a number: " + argv[2])
        number = int(argv[2])
    try:
        text = read_text(path)
    except OSError as error:
        fail(str(error))
    for output in COMMANDS[command](text, number):
        print(output)


if __name__ == "__main__":
    main(sys.argv[1:])
