"""Cutting a text into words and sentences."""

VOWELS = set("aeiouy")


class Tokenizer:
    """A small state machine that goes through the text one character at a time.

    It is either between words or inside one. An apostrophe or a hyphen stays in the
    word only if a letter follows directly.
    """

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
    """Lists of words; empty ones (as in "?!") are left out."""
    current = []
    for token in Tokenizer(text):
        if token != ".":
            current.append(token)
        elif current:
            yield current
            current = []
    if current:
        yield current


def syllables(word):
    """A rough guess: groups of vowels, a silent e at the end does not count."""
    groups = 0
    previous = ""
    for letter in word.lower():
        if letter in VOWELS and previous not in VOWELS:
            groups += 1
        previous = letter
    if groups > 1 and word.lower().endswith("e") and not word.lower().endswith("le"):
        groups -= 1
    return max(1, groups)
