"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py spread FILE WORD
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


class Vocabulary:
    """Every word gets a number; the text is a list of numbers from then on."""

    def __init__(self):
        self.number_of = {}
        self.spelling = []

    def encode(self, word):
        if word not in self.number_of:
            self.number_of[word] = len(self.spelling)
            self.spelling.append(word)
        return self.number_of[word]

    def decode(self, number):
        return self.spelling[number]


STOP = 0  # the number of the full stop


def encode_text(text):
    vocabulary = Vocabulary()
    vocabulary.encode(".")
    codes = []
    for piece in text.split():
        core = piece.strip("\"'()[].,;:!?-_")
        if core:
            codes.append(vocabulary.encode(core.lower()))
        if any(mark in piece[-2:] for mark in ".!?") and codes and codes[-1] != STOP:
            codes.append(STOP)
    if codes and codes[-1] != STOP:
        codes.append(STOP)
    return vocabulary, codes


def histogram(vocabulary, codes):
    counts = [0] * len(vocabulary.spelling)
    for code in codes:
        counts[code] += 1
    return counts


def stats(text):
    vocabulary, codes = encode_text(text)
    counts = histogram(vocabulary, codes)
    sentences = counts[STOP]
    words = len(codes) - sentences
    letters = 0
    for code, k in enumerate(counts):
        if code != STOP:
            letters += k * len(vocabulary.decode(code))
    print("%6d lines" % text.count("\n"))
    print("%6d words" % words)
    print("%6d different words" % (len(counts) - 1))
    print("%6d sentences" % sentences)
    print("%6.2f letters in a word" % (letters / words))
    print("%6.2f words in a sentence" % (words / sentences))


def top(text, number):
    vocabulary, codes = encode_text(text)
    counts = histogram(vocabulary, codes)
    counts[STOP] = 0
    for word in STOPWORDS:
        if word in vocabulary.number_of:
            counts[vocabulary.encode(word)] = 0
    order = sorted(range(len(counts)), key=lambda code: -counts[code])
    for code in order[:number]:
        if counts[code] > 0:
            print("%4d %-20s %s" % (counts[code], vocabulary.decode(code), bar(counts[code], counts[order[0]])))


def babble(text, number):
    vocabulary, codes = encode_text(text)
    after = [[] for _ in vocabulary.spelling]
    for here, there in zip(codes, codes[1:]):
        after[here].append(there)
    after[STOP].append(codes[0])
    code = STOP
    sentence = []
    while number > 0:
        code = random.choice(after[code])
        if code == STOP:
            print(" ".join(sentence).capitalize() + ".")
            sentence = []
        else:
            sentence.append(vocabulary.decode(code))
            number -= 1
    if sentence:
        print(" ".join(sentence).capitalize() + "...")


def spread(text, word):
    """Cuts the text into 20 parts and shows in which of them the word occurs."""
    vocabulary, codes = encode_text(text)
    wanted = vocabulary.number_of.get(word.lower())
    parts = [0] * 20
    for position, code in enumerate(codes):
        if code == wanted:
            parts[position * 20 // len(codes)] += 1
    for i, k in enumerate(parts):
        print("%3d%% %s" % (i * 5, bar(k, max(parts)) if k else ""))


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
    elif command == "top" and extra.isdigit():
        top(text, int(extra))
    elif command == "babble" and extra.isdigit():
        babble(text, int(extra))
    elif command == "spread":
        spread(text, extra)
    else:
        fail("wrong command or number: " + " ".join(argv))


if __name__ == "__main__":
    main(sys.argv[1:])
