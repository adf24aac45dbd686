"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py find FILE WORD
"""
import random
import re
import sys
from collections import Counter, defaultdict

STOPWORDS = {
    "a", "about", "all", "an", "and", "are", "as", "at", "be", "but", "by", "for", "from", "had", "has", "have",
    "him", "he", "her", "his", "i", "in", "is", "it", "its", "my", "not", "of", "on", "or", "our", "she", "so", "that",
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
    print("Error: " + message, file=sys.stderr)
    sys.exit(2)


class Document:
    # pieces = words, sentence marks and commas
    PATTERN = re.compile(r'[A-Za-z0-9]+(?:[\'-][A-Za-z0-9]+)*|[.!?]+|[,;:]')

    def __init__(self, content):
        self.content = content
        self.pieces = self.PATTERN.findall(content)
        self.vocabulary = [
            piece.lower()
            for piece in self.pieces
            if piece[0].isalnum()
        ]

    @property
    def number_of_sentences(self):
        result = sum(1 for piece in self.pieces if piece[0] in '.!?')
        if self.pieces and self.pieces[-1][0] not in '.!?':
            result += 1
        return result

    def difficulty(self):
        # formula from the sheet
        letter_sum = sum(map(len, self.vocabulary))
        return (
            4.71 * letter_sum / len(self.vocabulary)
            + 0.5 * len(self.vocabulary) / self.number_of_sentences
            - 21.43
        )

    def histogram(self):
        return Counter(
            entry for entry in self.vocabulary if entry not in STOPWORDS
        )

    def surroundings(self, needle, size=35):
        for hit in re.finditer(r'\b%s\b' % re.escape(needle), self.content, re.IGNORECASE):
            prefix = self.content[max(0, hit.start() - size):hit.start()]
            suffix = self.content[hit.end():hit.end() + size]
            yield ' '.join(prefix.split()), hit.group(), ' '.join(suffix.split())


class RandomWriter:
    # remembers which piece comes after the last two pieces

    def __init__(self, pieces, memory=2):
        self.memory = memory
        self.successors = defaultdict(Counter)
        extended = [None] * memory + pieces + [None]
        for k in range(len(extended) - memory):
            self.successors[tuple(extended[k:k + memory])][extended[k + memory]] += 1

    def choose(self, past):
        possible = self.successors[past]
        return random.choices(list(possible), weights=possible.values())[0]

    def write(self, amount):
        past = (None,) * self.memory
        written = 0
        while written < amount:
            piece = self.choose(past)
            if piece is None:
                past = (None,) * self.memory
                continue
            yield piece
            if piece[0].isalnum():
                written += 1
            past = past[1:] + (piece,)


def glue(pieces):
    string = ''
    for piece in pieces:
        if piece[0].isalnum() and string:
            string += ' '
        string += piece
    return string


def show_statistics(doc):
    table = [
        ('Line count', len(doc.content.splitlines())),
        ('Word count', len(doc.vocabulary)),
        ('Unique words', len(set(doc.vocabulary))),
        ('Sentence count', doc.number_of_sentences),
        ('Word length', round(sum(map(len, doc.vocabulary)) / len(doc.vocabulary), 3)),
        ('Sentence length', round(len(doc.vocabulary) / doc.number_of_sentences, 3)),
        ('Difficulty', round(doc.difficulty(), 2)),
    ]
    for label, figure in table:
        print(f'{label:<20}: {figure:>6}')


def show_ranking(doc, limit):
    winners = doc.histogram().most_common(limit)
    for entry, frequency in winners:
        print(f'{frequency:4} x {entry:>18} {bar(frequency, winners[0][1])}')


def show_surroundings(doc, needle):
    for prefix, hit, suffix in doc.surroundings(needle):
        print(f'{prefix:>35} >{hit}< {suffix}')


def main(arguments):
    if len(arguments) < 2:
        fail(__doc__)
    action, filename = arguments[0], arguments[1]
    try:
        doc = Document(read_text(filename))
    except OSError as problem:
        fail(str(problem))
    if not doc.vocabulary:
        fail('empty file: ' + filename)
    if action == 'find' and len(arguments) > 2:
        return show_surroundings(doc, arguments[2])
    limit = int(arguments[2]) if len(arguments) > 2 and arguments[2].isdigit() else 20
    if action == 'stats':
        show_statistics(doc)
    elif action == 'top':
        show_ranking(doc, limit)
    elif action == 'babble':
        print(glue(RandomWriter(doc.pieces).write(limit)))
    else:
        fail('not a command: ' + action)


if __name__ == '__main__':
    main(sys.argv[1:])
