"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py longest FILE [NUMBER]

Aiko T., Wednesday group
"""
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


def clean(word):
    # cut everything from both ends that is not a letter or digit
    start = 0
    end = len(word)
    while start < end and not word[start].isalnum():
        start += 1
    while end > start and not word[end - 1].isalnum():
        end -= 1
    return word[start:end].lower()


def split_words(text):
    result = []
    for piece in text.split():
        word = clean(piece)
        if word != "":
            result.append(word)
    return result


def split_sentences(text):
    """Sentences end with . ! or ?, but not after abbreviations of one letter."""
    sentences = []
    current = []
    for piece in text.split():
        current.append(piece)
        if piece.rstrip("\"')")[-1:] in (".", "!", "?") and len(clean(piece)) > 1:
            sentences.append(" ".join(current))
            current = []
    if current:
        sentences.append(" ".join(current))
    return sentences


def count(words):
    table = {}
    for word in words:
        if word in table:
            table[word] += 1
        else:
            table[word] = 1
    return table


def print_stats(text):
    words = split_words(text)
    sentences = split_sentences(text)
    if not words:
        print("the file is empty")
        return
    letters = 0
    for word in words:
        letters += len(word)
    word_length = letters / len(words)
    sentence_length = len(words) / len(sentences)
    print("lines          ", text.count("\n"))
    print("words          ", len(words))
    print("different words", len(count(words)))
    print("sentences      ", len(sentences))
    print("word length     %.2f" % word_length)
    print("sentence length %.2f" % sentence_length)
    print("reading grade   %.1f" % (4.71 * word_length + 0.5 * sentence_length - 21.43))


def print_top(text, number):
    table = count(split_words(text))
    for stopword in STOPWORDS:
        table.pop(stopword, None)
    ranking = sorted(table.items(), key=lambda item: (-item[1], item[0]))[:number]
    for word, times in ranking:
        print("%-15s %4d %s" % (word, times, bar(times, ranking[0][1])))


def print_babble(text, number):
    words = text.split()
    # for every word the list of all words that come after it
    followers = {}
    for i in range(len(words) - 1):
        followers.setdefault(words[i], []).append(words[i + 1])
    word = random.choice(words)
    output = [word]
    while len(output) < number:
        if word in followers:
            word = random.choice(followers[word])
        else:
            word = random.choice(words)
        output.append(word)
    print(" ".join(output))


def print_longest(text, number):
    ranked = sorted(split_sentences(text), key=lambda sentence: len(sentence.split()), reverse=True)
    for sentence in ranked[:number]:
        print(len(sentence.split()), "words:", sentence)


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
        print_stats(text)
    elif command == "top":
        print_top(text, number)
    elif command == "babble":
        print_babble(text, number)
    elif command == "longest":
        print_longest(text, number)
    else:
        fail("unknown command " + command)


if __name__ == "__main__":
    main(sys.argv[1:])
