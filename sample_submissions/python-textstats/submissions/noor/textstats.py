"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py palindromes FILE
"""
import bisect
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


ABC = "abcdefghijklmnopqrstuvwxyz"
START, END = "<s>", "</s>"


class Tokenizer:
    """Goes through the text one character at a time."""

    def __init__(self, text):
        self.text = text
        self.position = 0

    def peek(self, offset=0):
        at = self.position + offset
        return self.text[at] if at < len(self.text) else ""

    def __iter__(self):
        return self

    def __next__(self):
        while self.peek() and not self.peek().isalnum() and self.peek() not in ".!?":
            self.position += 1
        if not self.peek():
            raise StopIteration
        if self.peek() in ".!?":
            while self.peek() and self.peek() in ".!?":
                self.position += 1
            return "."
        begin = self.position
        while self.peek().isalnum() or (self.peek() in ("'", "-") and self.peek(1).isalnum()):
            self.position += 1
        return self.text[begin:self.position]


def sentences(text):
    current = []
    for token in Tokenizer(text):
        if token != ".":
            current.append(token)
        elif current:
            yield current
            current = []
    if current:
        yield current


class Followers:
    def __init__(self):
        self.words = []
        self.counts = []

    def add(self, word):
        if word in self.words:
            self.counts[self.words.index(word)] += 1
        else:
            self.words.append(word)
            self.counts.append(1)

    def finish(self):
        total = 0
        self.limits = []
        for count in self.counts:
            total += count
            self.limits.append(total)

    def draw(self):
        return self.words[bisect.bisect_right(self.limits, random.randrange(self.limits[-1]))]


def babble(text, number):
    model = {}
    for sentence in sentences(text):
        path = [START] + sentence + [END]
        for here, there in zip(path, path[1:]):
            model.setdefault(here, Followers()).add(there)
    for f in model.values():
        f.finish()
    word = START
    while number > 0:
        word = model[word].draw()
        if word == END:
            print(".", end=" ")
            word = START
        else:
            print(word, end=" ")
            number -= 1
    print()


# sorted words, and a second list with how often
def frequency(words):
    names = []
    numbers = []
    for w in sorted(words):
        if len(names) > 0 and names[-1] == w:
            numbers[-1] = numbers[-1] + 1
        else:
            names.append(w)
            numbers.append(1)
    return names, numbers


def all_words(text):
    return [w.lower() for s in sentences(text) for w in s]


def stats(text):
    lengths = [len(s) for s in sentences(text)]
    words = all_words(text)
    names, numbers = frequency(words)
    letters = 0
    longest = ""
    for w in words:
        letters = letters + len(w)
        if len(w) > len(longest):
            longest = w
    print(f"{len(lengths)} sentences, {len(words)} words, {len(names)} distinct, {text.count(chr(10))} lines")
    print(f"letters per word {letters / len(words):.2f}, words per sentence {len(words) / len(lengths):.2f}")
    print("the longest word is", longest)


def top(text, number):
    names, numbers = frequency(all_words(text))
    biggest = 0
    k = 0
    while k < number:
        best = -1
        for i in range(len(names)):
            if names[i] not in STOPWORDS and numbers[i] > 0:
                if best == -1 or numbers[i] > numbers[best]:
                    best = i
        if best == -1:
            break
        if k == 0:
            biggest = numbers[best]
        print(f"{names[best]:12} {numbers[best]:4} {bar(numbers[best], biggest)}")
        numbers[best] = 0
        k = k + 1


def palindromes(text):
    found = []
    for w in all_words(text):
        ok = len(w) > 2
        for i in range(len(w) // 2):
            if w[i] != w[len(w) - 1 - i]:
                ok = False
        if ok and w not in found:
            found.append(w)
    print(found)


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
    elif command == "palindromes":
        palindromes(text)
    else:
        fail("unknown command " + command)


if __name__ == "__main__":
    main(sys.argv[1:])
