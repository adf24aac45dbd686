"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py starts FILE
"""
import sys
from random import choice
from string import punctuation

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
    return "*" * max(1, round(width * value / largest))


def fail(message):
    print("textstats: " + message, file=sys.stderr)
    sys.exit(2)


class Statistics:
    """Everything we want to know about one text."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.raw_words = text.split()
        self.words = [w.strip(punctuation).lower() for w in self.raw_words]
        self.words = [w for w in self.words if w != ""]
        self.sentence_ends = 0
        for w in self.raw_words:
            if w.rstrip('"\')')[-1:] in [".", "!", "?"]:
                self.sentence_ends += 1
        self.frequency = {}
        for w in self.words:
            if w in self.frequency:
                self.frequency[w] += 1
            else:
                self.frequency[w] = 1

    def average_word_length(self):
        return sum([len(w) for w in self.words]) / len(self.words)

    def average_sentence_length(self):
        if self.sentence_ends == 0:
            return len(self.words)
        return len(self.words) / self.sentence_ends

    def report(self):
        print(f"lines                   {len(self.lines)}")
        print(f"words                   {len(self.words)}")
        print(f"distinct words          {len(self.frequency)}")
        print(f"sentences               {self.sentence_ends}")
        print(f"average word length     {self.average_word_length():.2f}")
        print(f"average sentence length {self.average_sentence_length():.2f}")
        index = 4.71 * self.average_word_length() + 0.5 * self.average_sentence_length() - 21.43
        print(f"readability index       {index:.2f}")

    def top(self, number):
        items = [(count, w) for w, count in self.frequency.items() if w not in STOPWORDS]
        items.sort(reverse=True)
        for count, w in items[:number]:
            print(f"{w:<20}{count:>4} {bar(count, items[0][0])}")

    def babble(self, number):
        nexts = {}
        for i in range(1, len(self.raw_words)):
            previous = self.raw_words[i - 1]
            if previous not in nexts:
                nexts[previous] = []
            nexts[previous].append(self.raw_words[i])
        word = choice(self.raw_words)
        for i in range(number):
            print(word, end=" ")
            if word not in nexts:
                word = choice(self.raw_words)
            else:
                word = choice(nexts[word])
        print()

    def starts(self):
        """How many words begin with each letter."""
        for letter in "abcdefghijklmnopqrstuvwxyz":
            n = len([w for w in self.words if w.startswith(letter)])
            if n > 0:
                print(letter, n)


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
    statistics = Statistics(text)
    if command == "stats":
        statistics.report()
    elif command == "top":
        statistics.top(number)
    elif command == "babble":
        statistics.babble(number)
    elif command == "starts":
        statistics.starts()
    else:
        fail("unknown command " + command)


if __name__ == "__main__":
    main(sys.argv[1:])
