"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py where FILE WORD
"""
import random
import sys

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


class Lexicon:
    # gives an index to every word
    def __init__(self):
        self.index = {}
        self.words = []

    def to_index(self, word):
        if word not in self.index:
            self.index[word] = len(self.words)
            self.words.append(word)
        return self.index[word]

    def to_word(self, index):
        return self.words[index]


PERIOD = 0


def prepare(text):
    lexicon = Lexicon()
    lexicon.to_index(".")
    ids = []
    for piece in text.split():
        core = piece.strip("\"'()[].,;:!?-_")
        if core:
            ids.append(lexicon.to_index(core.lower()))
        if any(mark in piece[-2:] for mark in ".!?") and ids and ids[-1] != PERIOD:
            ids.append(PERIOD)
    if ids and ids[-1] != PERIOD:
        ids.append(PERIOD)
    return lexicon, ids


def count_ids(lexicon, ids):
    counts = [0] * len(lexicon.words)
    for i in ids:
        counts[i] += 1
    return counts


def stats(text):
    lexicon, ids = prepare(text)
    counts = count_ids(lexicon, ids)
    sentences = counts[PERIOD]
    words = len(ids) - sentences
    letters = 0
    for i, n in enumerate(counts):
        if i != PERIOD:
            letters += n * len(lexicon.to_word(i))
    print("lines:", text.count("\n"))
    print("words:", words)
    print("distinct words:", len(counts) - 1)
    print("sentences:", sentences)
    print("average word: %.2f" % (letters / words))
    print("average sentence: %.2f" % (words / sentences))


def top(text, number):
    lexicon, ids = prepare(text)
    counts = count_ids(lexicon, ids)
    counts[PERIOD] = 0
    for word in STOPWORDS:
        if word in lexicon.index:
            counts[lexicon.to_index(word)] = 0
    order = sorted(range(len(counts)), key=lambda i: -counts[i])
    for i in order[:number]:
        if counts[i] > 0:
            print("%-20s %4d %s" % (lexicon.to_word(i), counts[i], bar(counts[i], counts[order[0]])))


def babble(text, number):
    lexicon, ids = prepare(text)
    next_ids = [[] for _ in lexicon.words]
    for a, b in zip(ids, ids[1:]):
        next_ids[a].append(b)
    next_ids[PERIOD].append(ids[0])
    current = PERIOD
    sentence = []
    while number > 0:
        current = random.choice(next_ids[current])
        if current == PERIOD:
            print(" ".join(sentence).capitalize() + ".")
            sentence = []
        else:
            sentence.append(lexicon.to_word(current))
            number -= 1
    if sentence:
        print(" ".join(sentence).capitalize() + " ...")


# shows in which part of the text the word is
def where(text, word):
    lexicon, ids = prepare(text)
    wanted = lexicon.index.get(word.lower())
    parts = [0] * 10
    for position, i in enumerate(ids):
        if i == wanted:
            parts[position * 10 // len(ids)] += 1
    for k, n in enumerate(parts):
        print("part %2d: %s" % (k + 1, bar(n, max(parts)) if n else "-"))


def main(argv):
    if len(argv) < 2:
        fail(__doc__)
    command, path = argv[0], argv[1]
    extra = argv[2] if len(argv) > 2 else "10"
    try:
        text = read_text(path)
    except OSError as error:
        fail(str(error))
    if command == "stats":
        stats(text)
    elif command == "where":
        where(text, extra)
    elif not extra.isdigit():
        fail("not a number: " + extra)
    elif command == "top":
        top(text, int(extra))
    elif command == "babble":
        babble(text, int(extra))
    else:
        fail("unknown command " + command)


if __name__ == "__main__":
    main(sys.argv[1:])
