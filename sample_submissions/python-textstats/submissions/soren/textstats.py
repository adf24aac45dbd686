"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py vowels FILE
"""
import sys
import re
import random
from collections import defaultdict, Counter

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


WORD = re.compile(r"\w+(?:'\w+)?")
SENTENCE_END = re.compile(r"[.!?]+(?:\s|$)")


def stats(text):
    words = WORD.findall(text.lower())
    n_sentences = len(SENTENCE_END.findall(text)) or 1
    n_chars = sum(map(len, words))
    print("lines: %d" % text.count("\n"))
    print("words: %d" % len(words))
    print("unique words: %d" % len(set(words)))
    print("sentences: %d" % n_sentences)
    if words:
        word_len = n_chars / len(words)
        sent_len = len(words) / n_sentences
        print("avg word length: %.2f" % word_len)
        print("avg sentence length: %.2f" % sent_len)
        print("reading index: %.2f" % (4.71 * word_len + 0.5 * sent_len - 21.43))


def top(text, n):
    counts = Counter(WORD.findall(text.lower()))
    for s in STOPWORDS:
        del counts[s]
    most = counts.most_common(n)
    maximum = most[0][1] if most else 0
    for w, c in most:
        print("%-20s %4d %s" % (w, c, bar(c, maximum)))


def babble(text, n):
    tokens = text.split()
    chain = defaultdict(list)
    for a, b in zip(tokens, tokens[1:]):
        chain[a].append(b)
    current = random.choice(list(chain))
    out = [current]
    while len(out) < n:
        if current not in chain:
            current = random.choice(list(chain))
        else:
            current = random.choice(chain[current])
        out.append(current)
    print(" ".join(out))


def vowels(text):
    # share of each vowel among all vowels
    c = Counter(ch for ch in text.lower() if ch in "aeiou")
    total = sum(c.values())
    for v in "aeiou":
        print(v, "%5.1f %%" % (100 * c[v] / total), bar(c[v], max(c.values())))


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
    if command == "stats":
        stats(text)
    elif command == "top":
        top(text, number)
    elif command == "babble":
        babble(text, number)
    elif command == "vowels":
        vowels(text)
    else:
        fail("unknown command " + command)


if __name__ == "__main__":
    main(sys.argv[1:])
