"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py anagrams FILE
"""
import random
import string
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


class TextStatistics:
    def __init__(self, text):
        self.text = text
        self.words = []
        for w in text.split():
            w = w.strip(string.punctuation).lower()
            if w:
                self.words.append(w)

    def word_counts(self):
        counts = {}
        for w in self.words:
            counts[w] = counts.get(w, 0) + 1
        return counts

    def num_sentences(self):
        return sum(self.text.count(c) for c in ".!?")

    def print_stats(self):
        n = len(self.words)
        s = max(1, self.num_sentences())
        chars = sum(len(w) for w in self.words)
        print("Number of lines:    ", len(self.text.splitlines()))
        print("Number of words:    ", n)
        print("Number of sentences:", s)
        print("Vocabulary size:    ", len(self.word_counts()))
        print("Mean word length:   ", round(chars / n, 2))
        print("Mean sentence:      ", round(n / s, 2))
        print("Readability (ARI):  ", round(4.71 * chars / n + 0.5 * n / s - 21.43, 2))

    def print_top(self, number):
        counts = self.word_counts()
        words = [w for w in counts if w not in STOPWORDS]
        words.sort(key=lambda w: counts[w], reverse=True)
        for w in words[:number]:
            print(w.ljust(15), str(counts[w]).rjust(5), bar(counts[w], counts[words[0]]))

    def print_babble(self, number):
        model = {}
        for i in range(len(self.words) - 1):
            a = self.words[i]
            b = self.words[i + 1]
            if a not in model:
                model[a] = []
            model[a].append(b)
        w = random.choice(self.words[:-1])
        text = w.capitalize()
        for i in range(number - 1):
            if w in model:
                w = random.choice(model[w])
            else:
                w = random.choice(self.words[:-1])
            text += " " + w
        print(text + ".")

    def print_anagrams(self):
        groups = {}
        for w in set(self.words):
            key = "".join(sorted(w))
            groups.setdefault(key, []).append(w)
        for group in groups.values():
            if len(group) > 1:
                print(" = ".join(sorted(group)))


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
    ts = TextStatistics(text)
    if command == "stats":
        ts.print_stats()
    elif command == "top":
        ts.print_top(number)
    elif command == "babble":
        ts.print_babble(number)
    elif command == "anagrams":
        ts.print_anagrams()
    else:
        fail("unknown command " + command)


if __name__ == "__main__":
    main(sys.argv[1:])
