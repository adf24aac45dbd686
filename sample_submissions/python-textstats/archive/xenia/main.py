"""Assignment 5, Xenia: a pipeline of small classes."""
import random
import sys
from abc import ABC, abstractmethod

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


class Command(ABC):
    registry = {}

    def __init_subclass__(cls):
        Command.registry[cls.__name__.lower()] = cls

    def __init__(self, text, number):
        self.text = text
        self.number = number

    @abstractmethod
    def run(self):
        ...

    def words(self):
        table = str.maketrans({c: " " for c in '.,;:!?"()[]-_*'})
        return self.text.translate(table).lower().split()


class Stats(Command):
    def run(self):
        words = self.words()
        ends = len([c for c, d in zip(self.text, self.text[1:] + " ") if c in ".!?" and d.isspace()])
        letters = len("".join(words))
        yield "Lines", self.text.count("\n")
        yield "Words", len(words)
        yield "Types", len(set(words))
        yield "Sentences", ends
        yield "Letters/Word", "%.2f" % (letters / len(words))
        yield "Words/Sentence", "%.2f" % (len(words) / ends)


class Top(Command):
    def run(self):
        words = [w for w in self.words() if w not in STOPWORDS]
        ranked = sorted(set(words), key=lambda w: (-words.count(w), w))
        for w in ranked[:self.number]:
            yield w, bar(words.count(w), words.count(ranked[0])) + " " + str(words.count(w))


class Babble(Command):
    ORDER = 5

    def run(self):
        # letters instead of words, gives funny new words
        text = " ".join(self.text.split())
        text += " " + text[:self.ORDER]
        state = text[:self.ORDER]
        out = state
        while len(out.split()) <= self.number:
            spots = []
            at = text.find(state)
            while at >= 0 and at + self.ORDER < len(text):
                spots.append(text[at + self.ORDER])
                at = text.find(state, at + 1)
            out += random.choice(spots)
            state = out[-self.ORDER:]
        yield "babble", out.rsplit(" ", 1)[0]


def main(argv):
    if len(argv) < 2:
        fail(__doc__)
    if argv[0] not in Command.registry:
        fail("unknown command " + argv[0])
    number = int(argv[2]) if len(argv) > 2 else 10
    try:
        text = read_text(argv[1])
    except OSError as error:
        fail(str(error))
    for name, value in Command.registry[argv[0]](text, number).run():
        print(f"{name + ':':<16} {value}")


if __name__ == "__main__":
    main(sys.argv[1:])
