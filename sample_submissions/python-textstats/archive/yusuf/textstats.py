"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
"""
import sys
import random

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


PUNCTUATION = ".,;:!?\"()"

def to_words(text):
    for p in PUNCTUATION:
        text = text.replace(p, " ")
    return text.lower().split()

def sentence_lengths(text):
    text = text.replace("?", ".").replace("!", ".")
    lengths = []
    for s in text.split("."):
        n = len(to_words(s))
        if n > 0:
            lengths.append(n)
    return lengths

def stats(text):
    w = to_words(text)
    sl = sentence_lengths(text)
    print("lines:", text.count("\n"))
    print("words:", len(w))
    print("distinct:", len(set(w)))
    print("sentences:", len(sl))
    print("word length:", sum([len(x) for x in w]) / len(w))
    print("sentence length:", sum(sl) / len(sl), "from", min(sl), "to", max(sl))

def top(text, number):
    w = to_words(text)
    pairs = []
    for x in set(w) - STOPWORDS:
        pairs.append([w.count(x), x])
    pairs.sort()
    pairs.reverse()
    for p in pairs[0:number]:
        print(p[1], "." * (20 - len(p[1])), p[0], bar(p[0], pairs[0][0]))

def babble(text, number):
    # matrix of probabilities as in the lecture: m[i][j] = how often word j follows word i
    w = to_words(text)
    v = sorted(set(w))
    m = [[0] * len(v) for x in v]
    index = {x: i for i, x in enumerate(v)}
    for i in range(len(w) - 1):
        m[index[w[i]]][index[w[i + 1]]] += 1
    state = random.randrange(len(v))
    for i in range(number):
        print(v[state], end=" ")
        if sum(m[state]) == 0:
            state = random.randrange(len(v))
        else:
            state = random.choices(range(len(v)), m[state])[0]
    print()

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
    if command == "stats": stats(text)
    elif command == "top": top(text, number)
    elif command == "babble": babble(text, number)
    else: fail("unknown command " + command)

if __name__ == "__main__":
    main(sys.argv[1:])
