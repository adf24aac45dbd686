"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py around FILE WORD
"""
import re
import sys
from collections import Counter, defaultdict
from random import choices

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


WORD_OR_MARK = re.compile(r"[A-Za-z0-9]+(?:['-][A-Za-z0-9]+)*|[.!?]+|[,;:]")
BEGIN = (None, None)


def is_word(token):
    return token[0].isalnum()


def tokenize(raw):
    return WORD_OR_MARK.findall(raw)


def lower_words(tokens):
    words = []
    for token in tokens:
        if is_word(token):
            words.append(token.lower())
    return words


def count_sentences(tokens):
    count = sum(1 for token in tokens if token[0] in ".!?")
    if tokens and tokens[-1][0] not in ".!?":
        return count + 1
    return count


def average_word(words):
    total = 0
    for word in words:
        total += len(word)
    return total / len(words)


def average_sentence(tokens, words):
    return len(words) / count_sentences(tokens)


def line(name, value):
    print(name.ljust(14) + str(value).rjust(8))


def stats(raw, tokens, words, extra):
    long_words = average_word(words)
    long_sentences = average_sentence(tokens, words)
    line("readability", round(4.71 * long_words + 0.5 * long_sentences - 21.43, 1))
    line("lines", len(raw.splitlines()))
    line("sentences", count_sentences(tokens))
    line("words", len(words))
    line("unique", len(set(words)))
    line("per word", round(long_words, 2))
    line("per sentence", round(long_sentences, 2))


def top(raw, tokens, words, extra):
    frequency = Counter(word for word in words if word not in STOPWORDS)
    for word, times in frequency.most_common(to_number(extra)):
        largest = max(frequency.values())
        print(f"{word:>16} {times:5} {bar(times, largest)}")


def learn(tokens):
    table = defaultdict(Counter)
    tokens = list(BEGIN) + tokens + [None]
    i = 0
    while i < len(tokens) - 2:
        table[tuple(tokens[i:i + 2])][tokens[i + 2]] += 1
        i += 1
    return table


def babble(raw, tokens, words, extra):
    table = learn(tokens)
    remaining = to_number(extra)
    state = BEGIN
    result = []
    while remaining > 0:
        options = table[state]
        token = choices(list(options), weights=options.values())[0]
        if token is None:
            state = BEGIN
            continue
        result.append(token)
        if token[0].isalnum():
            remaining -= 1
        state = state[1:] + (token,)
    print(put_together(result))


def put_together(tokens):
    text = ""
    for token in tokens:
        if token[0].isalnum() and text:
            text += " "
        text += token
    return text


def squeeze(piece):
    return " ".join(piece.split())


def around(raw, tokens, words, extra):
    width = 30
    for m in re.finditer(r"\b%s\b" % re.escape(extra), raw, re.IGNORECASE):
        before = squeeze(raw[max(0, m.start() - width):m.start()])
        after = squeeze(raw[m.end():m.end() + width])
        print(f"{before:>30} [{m.group()}] {after}")


def to_number(extra):
    if extra.isdigit():
        return int(extra)
    return 10


def main(argv):
    if len(argv) < 2:
        fail(__doc__)
    actions = {"stats": stats, "top": top, "babble": babble, "around": around}
    if argv[0] not in actions:
        fail("unknown command " + argv[0])
    try:
        raw = read_text(argv[1])
    except OSError as error:
        fail(str(error))
    tokens = tokenize(raw)
    words = lower_words(tokens)
    if words:
        actions[argv[0]](raw, tokens, words, "".join(argv[2:3]))
    else:
        fail("no words in " + argv[1])


if __name__ == "__main__":
    main(sys.argv[1:])
