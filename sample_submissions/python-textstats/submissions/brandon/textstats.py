"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py kwic FILE WORD
"""
import random
import re
import sys
from collections import Counter, defaultdict

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


class Text:
    """A text, cut into tokens once; everything else is computed from them on demand."""

    TOKEN = re.compile(r"[A-Za-z0-9]+(?:['-][A-Za-z0-9]+)*|[.!?]+|[,;:]")

    def __init__(self, raw):
        self.raw = raw
        self.tokens = self.TOKEN.findall(raw)
        self.words = [t.lower() for t in self.tokens if t[0].isalnum()]

    @property
    def sentence_count(self):
        ends = sum(1 for t in self.tokens if t[0] in ".!?")
        # a last sentence without a full stop is one, too
        if self.tokens and self.tokens[-1][0] not in ".!?":
            ends += 1
        return ends

    def ari(self):
        """Automated readability index, the school grade needed to understand the text."""
        chars = sum(map(len, self.words))
        return 4.71 * chars / len(self.words) + 0.5 * len(self.words) / self.sentence_count - 21.43

    def frequencies(self):
        return Counter(w for w in self.words if w not in STOPWORDS)

    def context(self, target, width=30):
        """Yields (left, match, right) for each place where target occurs."""
        for m in re.finditer(r"\b%s\b" % re.escape(target), self.raw, re.IGNORECASE):
            left = self.raw[max(0, m.start() - width):m.start()]
            right = self.raw[m.end():m.end() + width]
            yield " ".join(left.split()), m.group(), " ".join(right.split())


class Chain:
    """Markov chain over tokens. Each state is the last `order` tokens."""

    def __init__(self, tokens, order=2):
        self.order = order
        self.table = defaultdict(Counter)
        padded = [None] * order + tokens + [None]
        for i in range(len(padded) - order):
            self.table[tuple(padded[i:i + order])][padded[i + order]] += 1

    def step(self, state):
        options = self.table[state]
        return random.choices(list(options), weights=options.values())[0]

    def walk(self, length):
        state = (None,) * self.order
        produced = 0
        while produced < length:
            token = self.step(state)
            if token is None:
                state = (None,) * self.order
                continue
            yield token
            if token[0].isalnum():
                produced += 1
            state = state[1:] + (token,)


def join(tokens):
    out = ""
    for t in tokens:
        if t[0].isalnum() and out:
            out += " "
        out += t
    return out


def cmd_stats(text):
    rows = [
        ("lines", len(text.raw.splitlines())),
        ("words", len(text.words)),
        ("distinct", len(set(text.words))),
        ("sentences", text.sentence_count),
        ("avg word", round(sum(map(len, text.words)) / len(text.words), 2)),
        ("avg sentence", round(len(text.words) / text.sentence_count, 2)),
        ("ARI", round(text.ari(), 1)),
    ]
    for name, value in rows:
        print(f"{name:<14}{value:>8}")


def cmd_top(text, n):
    best = text.frequencies().most_common(n)
    for word, k in best:
        print(f"{word:>16} {k:5} {bar(k, best[0][1])}")


def cmd_kwic(text, word):
    for left, match, right in text.context(word):
        print(f"{left:>30} [{match}] {right}")


def main(argv):
    if len(argv) < 2:
        fail(__doc__)
    command, path = argv[0], argv[1]
    try:
        text = Text(read_text(path))
    except OSError as error:
        fail(str(error))
    if not text.words:
        fail("no words in " + path)
    if command == "kwic" and len(argv) > 2:
        return cmd_kwic(text, argv[2])
    number = int(argv[2]) if len(argv) > 2 and argv[2].isdigit() else 10
    if command == "stats":
        cmd_stats(text)
    elif command == "top":
        cmd_top(text, number)
    elif command == "babble":
        print(join(Chain(text.tokens).walk(number)))
    else:
        fail("unknown command " + command)


if __name__ == "__main__":
    main(sys.argv[1:])
