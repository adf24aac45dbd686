"""Assignment 5: text statistics.

usage: python textstats.py stats FILE
       python textstats.py top FILE [NUMBER]
       python textstats.py babble FILE [NUMBER]
       python textstats.py palindromes FILE
"""
import sys
import time

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
    # makes a bar
    if largest == 0:
        return ""
    return "#" * max(1, round(width * value / largest))


def fail(message):
    print("textstats: " + message, file=sys.stderr)
    sys.exit(2)


ABC = "abcdefghijklmnopqrstuvwxyz"


# my own random numbers, from the lecture (linear congruential generator)
seed = int(time.time())
def next_random(limit):
    global seed
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed // 65536 % limit


# goes over all charakters. If it is a letter add it to the word, if not the word is over
def get_words(text):
    words = []
    word = ""
    for c in text + " ":
        if c.lower() in ABC:
            word = word + c.lower()
        elif c == "'" and word != "":
            word = word + c
        else:
            if word != "":
                if word[-1] == "'":
                    word = word[:-1]
                words.append(word)
            word = ""
    return words


def get_sentences(text):
    n = 0
    something = False
    for c in text:
        if c in ".!?":
            if something:
                n = n + 1
            something = False
        if c.lower() in ABC:
            something = True
    if something:
        n = n + 1
    return n


# two lists, the words and how often
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


def stats(text):
    words = get_words(text)
    n = get_sentences(text)
    names, numbers = frequency(words)
    letters = 0
    longest = ""
    for w in words:
        letters = letters + len(w)
        if len(w) > len(longest):
            longest = w
    print("Lines:", len(text.split("\n")))
    print("Words:", len(words))
    print("Diffrent words:", len(names))
    print("Sentences:", n)
    print("Letters per word:", round(letters / len(words), 2))
    print("Words per sentence:", round(len(words) / n, 2))
    print("Longest word:", longest)


def top(text, number):
    names, numbers = frequency(get_words(text))
    biggest = 0
    k = 0
    while k < number:
        # search the maximum that was not printed yet
        best = -1
        for i in range(len(names)):
            if names[i] not in STOPWORDS and numbers[i] > 0:
                if best == -1 or numbers[i] > numbers[best]:
                    best = i
        if best == -1:
            break
        if k == 0:
            biggest = numbers[best]
        print(names[best] + " " * (15 - len(names[best])), numbers[best], bar(numbers[best], biggest))
        numbers[best] = 0
        k = k + 1


def babble(text, number):
    words = get_words(text)
    w = words[next_random(len(words))]
    line = w
    for k in range(number - 1):
        # all places where the word is, take the next word of one of them
        places = []
        for i in range(len(words) - 1):
            if words[i] == w:
                places.append(i)
        if places == []:
            w = words[0]
        else:
            w = words[places[next_random(len(places))] + 1]
        line = line + " " + w
        if len(line) > 70:
            print(line)
            line = ""
    print(line)


# words that are the same from behind
def palindromes(text):
    found = []
    for w in get_words(text):
        ok = len(w) > 2
        for i in range(len(w) // 2):
            if w[i] != w[len(w) - 1 - i]:
                ok = False
        if ok and w not in found:
            found.append(w)
            print(w)


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
    if command == "top":
        top(text, number)
    if command == "babble":
        babble(text, number)
    if command == "palindromes":
        palindromes(text)


if __name__ == "__main__":
    main(sys.argv[1:])
