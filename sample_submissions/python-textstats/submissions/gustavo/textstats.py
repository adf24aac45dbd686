"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py pairs FILE [NUMBER]
"""
import sys

from lib.collocations import Collocations
from lib.generator import Generator
from lib.summary import Summary, content_words, tokenize

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


def command_stats(text, number):
    print(Summary.of(text).render())


def command_top(text, number):
    counts = {}
    for w in content_words(tokenize(text), STOPWORDS):
        counts[w] = counts.get(w, 0) + 1
    # bucket sort: buckets[k] has all words that occur k times
    buckets = [[] for _ in range(max(counts.values(), default=0) + 1)]
    for w, k in counts.items():
        buckets[k].append(w)
    printed = 0
    for k in reversed(range(1, len(buckets))):
        for w in sorted(buckets[k]):
            if printed == number:
                return
            print(f"{k:4} {w:14} {bar(k, len(buckets) - 1, 30)}")
            printed += 1


def command_babble(text, number):
    print(Generator(tokenize(text)).paragraph(number))


def command_pairs(text, number):
    for score, left, right in Collocations(tokenize(text), STOPWORDS).best(number):
        print(f"{score:6.2f}  {left} {right}")


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
    action = globals().get("command_" + command)
    if action is None:
        fail("unknown command " + command)
    action(text, number)


if __name__ == "__main__":
    main(sys.argv[1:])
