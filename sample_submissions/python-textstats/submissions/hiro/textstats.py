"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py rhyme FILE WORD
"""
import heapq
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


def iter_words(text):
    """Iterate over the words of a text.

    It is surprisingly hard to say what a word is. I decided that a word is what remains
    when you take the pieces between white space, throw away all punctuation at both ends
    and make it lower case. This keeps "don't" and "well-known" in one piece, which I think
    is what most people expect, but it also means that "and/or" is a single word.
    Numbers are words, too, because somebody who reads the text aloud has to speak them.
    """
    for chunk in text.split():
        chunk = chunk.strip(string.punctuation).lower()
        if chunk:
            yield chunk


def count_sentences(text):
    """Count the sentences of a text.

    A sentence ends at a full stop, exclamation mark or question mark that is followed by
    white space. The white space is important: without it the number 3.14 would be the end
    of a sentence. Abbreviations such as "e.g. this" are still counted wrongly; a list of
    abbreviations would help, but there are always some that you forget, and for a long
    text the mistake is so small that nobody will ever notice it.
    """
    total = 0
    padded = text + " "
    for position in range(len(padded) - 1):
        if padded[position] in ".?!" and padded[position + 1] in string.whitespace:
            total += 1
    return max(total, 1)


class WordTree:
    """A tree of letters that counts words.

    Every node has a dictionary from the next letter to the next node. Words that begin with
    the same letters share the upper part of their path, so the tree needs less memory than
    a dictionary of words when a text has many words of one family. Finding a word takes as
    many steps as it has letters, no matter how many words there are. In rhyme() the words
    are put in backwards, and then all words with the same ending sit in the same branch.
    """

    def __init__(self):
        self.children = {}
        self.count = 0

    def insert(self, word):
        node = self
        for letter in word:
            if letter not in node.children:
                node.children[letter] = WordTree()
            node = node.children[letter]
        node.count += 1

    def branch(self, prefix):
        node = self
        for letter in prefix:
            node = node.children.get(letter)
            if node is None:
                return WordTree()
        return node

    def walk(self, prefix=""):
        if self.count:
            yield prefix, self.count
        for letter in sorted(self.children):
            yield from self.children[letter].walk(prefix + letter)


def tree_of(words):
    tree = WordTree()
    for word in words:
        tree.insert(word)
    return tree


def stats(text):
    words = list(iter_words(text))
    n = count_sentences(text)
    average = sum(len(w) for w in words) / max(1, len(words))
    print("lines:     {}".format(len(text.splitlines())))
    print("words:     {}".format(len(words)))
    print("distinct:  {}".format(sum(1 for _ in tree_of(words).walk())))
    print("sentences: {}".format(n))
    print("letters per word:   {:.3f}".format(average))
    print("words per sentence: {:.3f}".format(len(words) / n))


def top(text, number):
    counted = tree_of(w for w in iter_words(text) if w not in STOPWORDS).walk()
    ranking = heapq.nlargest(number, counted, key=lambda pair: pair[1])
    for word, times in ranking:
        print(word.rjust(20), bar(times, ranking[0][1]), times)


def babble(text, number):
    """Write random text that looks like the original.

    The trick: jump to a random place in the original, read on until a word comes along that
    we have seen somewhere else as well, and then continue at that other place. No table is
    needed, only the list of positions of every word. The result has exactly the same
    probabilities as the usual table of followers, because choosing a random position of a
    word and taking its neighbour is the same as choosing a random follower.
    """
    words = text.split()
    positions = {}
    for index, word in enumerate(words):
        positions.setdefault(word, []).append(index)
    here = random.randrange(len(words))
    for _ in range(number):
        print(words[here], end=" ")
        here = (random.choice(positions[words[here]]) + 1) % len(words)
    print()


def rhyme(text, word):
    backwards = tree_of(w[::-1] for w in set(iter_words(text)))
    ending = word.lower()[-3:]
    found = [w[::-1] for w, _ in backwards.branch(ending[::-1]).walk(ending[::-1])]
    print(", ".join(w for w in found if w != word.lower()) or "no rhyme found")


def main(argv):
    if len(argv) < 2:
        fail(__doc__)
    command, path = argv[0], argv[1]
    try:
        text = read_text(path)
    except OSError as error:
        fail(str(error))
    extra = argv[2] if len(argv) > 2 else "10"
    if command == "rhyme":
        rhyme(text, extra)
        return
    if not extra.isdigit():
        fail("not a number: " + extra)
    if command == "stats":
        stats(text)
    elif command == "top":
        top(text, int(extra))
    elif command == "babble":
        babble(text, int(extra))
    else:
        fail("unknown command " + command)


if __name__ == "__main__":
    main(sys.argv[1:])
