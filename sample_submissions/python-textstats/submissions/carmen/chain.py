"""Random text in the style of another text."""
import bisect
import random

START, END = "<s>", "</s>"


class Row:
    """What may follow a word, as cumulated counts, so that a random draw is a binary search."""

    def __init__(self):
        self.words = []
        self.counts = []

    def add(self, word):
        if word in self.words:
            self.counts[self.words.index(word)] += 1
        else:
            self.words.append(word)
            self.counts.append(1)

    def freeze(self):
        total = 0
        self.limits = []
        for count in self.counts:
            total += count
            self.limits.append(total)

    def draw(self, rng):
        return self.words[bisect.bisect_right(self.limits, rng.randrange(self.limits[-1]))]


def train(sentences):
    rows = {}
    for sentence in sentences:
        path = [START] + sentence + [END]
        for here, there in zip(path, path[1:]):
            rows.setdefault(here, Row()).add(there)
    for row in rows.values():
        row.freeze()
    return rows


def speak(rows, number, seed=None):
    rng = random.Random(seed)
    spoken = 0
    while spoken < number:
        sentence = []
        word = rows[START].draw(rng)
        while word != END and spoken < number:
            sentence.append(word)
            spoken += 1
            word = rows[word].draw(rng)
        yield " ".join(sentence) + "."
