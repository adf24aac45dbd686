"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py once FILE
"""
import random
import re
import sys
from collections import Counter, defaultdict

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


def get_words(text):
    return re.findall(r"[a-z0-9']+", text.lower())


def get_sentences(text):
    parts = re.split(r"[.!?]+", text)
    return [part.strip() for part in parts if part.strip()]


def show_stats(text):
    words = get_words(text)
    sentences = get_sentences(text)
    average_word = sum(len(word) for word in words) / len(words)
    average_sentence = len(words) / len(sentences)
    print("Lines:", len(text.splitlines()))
    print("Words:", len(words))
    print("Distinct words:", len(set(words)))
    print("Sentences:", len(sentences))
    print(f"Average word length: {average_word:.2f}")
    print(f"Average sentence length: {average_sentence:.2f}")
    print(f"Readability: {4.71 * average_word + 0.5 * average_sentence - 21.43:.2f}")


def show_top(text, number):
    counter = Counter(word for word in get_words(text) if word not in STOPWORDS)
    top = counter.most_common(number)
    for word, count in top:
        print(f"{word:15} {count:5} {bar(count, top[0][1])}")


def babble(text, number):
    words = text.split()
    followers = defaultdict(list)
    for first, second in zip(words, words[1:]):
        followers[first].append(second)
    word = random.choice(words)
    result = [word]
    for _ in range(number - 1):
        # the last word of the text may have no follower
        word = random.choice(followers[word] or words)
        result.append(word)
    print(" ".join(result))


def show_once(text):
    """Words that are used only one time, in columns."""
    once = sorted(word for word, count in Counter(get_words(text)).items() if count == 1)
    for i in range(0, len(once), 5):
        print("".join(f"{word:16}" for word in once[i:i + 5]))


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
        show_stats(text)
    elif command == "top":
        show_top(text, number)
    elif command == "babble":
        babble(text, number)
    elif command == "once":
        show_once(text)
    else:
        fail("unknown command " + command)


if __name__ == "__main__":
    main(sys.argv[1:])
