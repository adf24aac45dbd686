#!/usr/bin/env python3
"""Text statistics with argparse instead of the handed out main()."""
import argparse
import math
import sys

import chain
import tokens

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


def vector(path):
    """Relative frequency of every word that is no stopword."""
    table = {}
    for sentence in tokens.sentences(read_text(path)):
        for word in map(str.lower, sentence):
            if word not in STOPWORDS:
                table[word] = table.get(word, 0) + 1
    size = math.sqrt(sum(v * v for v in table.values())) or 1
    return {word: v / size for word, v in table.items()}, table


def do_stats(args):
    text = read_text(args.file)
    lengths = []
    letters = beats = 0
    seen = set()
    for sentence in tokens.sentences(text):
        lengths.append(len(sentence))
        for word in sentence:
            letters += len(word)
            beats += tokens.syllables(word)
            seen.add(word.lower())
    n = sum(lengths)
    if n == 0:
        fail("nothing to count in " + args.file)
    flesch = 206.835 - 1.015 * n / len(lengths) - 84.6 * beats / n
    print(f"{text.count(chr(10))} lines, {len(lengths)} sentences, {n} words ({len(seen)} different)")
    print(f"mean word {letters / n:.2f} letters, mean sentence {n / len(lengths):.2f} words")
    print(f"longest sentence {max(lengths)} words, reading ease {flesch:.0f}")


def do_top(args):
    _, table = vector(args.file)
    order = sorted(table, key=table.get, reverse=True)[:args.number]
    for word in order:
        print(word.ljust(18), str(table[word]).rjust(4), bar(table[word], table[order[0]]))


def do_babble(args):
    rows = chain.train(tokens.sentences(read_text(args.file)))
    for sentence in chain.speak(rows, args.number, args.seed):
        print(sentence)


def do_compare(args):
    """Cosine of the angle between two texts: 1 same words, 0 nothing in common."""
    a, _ = vector(args.file)
    b, _ = vector(args.other)
    print("%.3f" % sum(weight * b.get(word, 0) for word, weight in a.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, action in [("stats", do_stats), ("top", do_top), ("babble", do_babble), ("compare", do_compare)]:
        sub = commands.add_parser(name)
        sub.set_defaults(action=action)
        sub.add_argument("file")
        if name in ("top", "babble"):
            sub.add_argument("number", type=int, nargs="?", default=10)
        if name == "babble":
            sub.add_argument("--seed", type=int)
        if name == "compare":
            sub.add_argument("other")
    args = parser.parse_args()
    try:
        args.action(args)
    except OSError as error:
        fail(str(error))


if __name__ == "__main__":
    main()
