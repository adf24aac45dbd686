"""Assignment 5: text statistics. (Wei)"""
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


# one pass over the text, everything is collected in this big dictionary
def analyse(text):
    r = {"lines": 0, "sentences": 0, "chars": 0, "words": [], "freq": {}, "next": {}}
    for line in text.split("\n"):
        r["lines"] += 1
        for token in line.split():
            end = token.endswith((".", "!", "?", '."', '!"', '?"'))
            word = "".join(ch for ch in token if ch.isalnum() or ch == "'").lower()
            if not word:
                continue
            if r["words"]:
                before = r["words"][-1]
                links = r["next"].setdefault(before, {})
                links[word] = links.get(word, 0) + 1
            r["words"].append(word)
            r["chars"] += len(word)
            r["freq"][word] = r["freq"].get(word, 0) + 1
            if end:
                r["sentences"] += 1
    return r


def roulette(weights):
    """spin the wheel: bigger numbers are hit more often"""
    ball = random.uniform(0, sum(weights.values()))
    for key, weight in weights.items():
        ball -= weight
        if ball <= 0:
            return key
    return key


def main(argv):
    if len(argv) < 2:
        fail("usage: stats|top|babble FILE [N]")
    n = int(argv[2]) if len(argv) == 3 else 10
    r = analyse(read_text(argv[1]))
    if argv[0] == "stats":
        w = len(r["words"])
        print("lines %d words %d sentences %d distinct %d" % (r["lines"], w, r["sentences"], len(r["freq"])))
        print("word %.2f sentence %.2f" % (r["chars"] / w, w / max(1, r["sentences"])))
    elif argv[0] == "top":
        for s in STOPWORDS & set(r["freq"]):
            del r["freq"][s]
        first = None
        for _ in range(min(n, len(r["freq"]))):
            word = max(r["freq"], key=r["freq"].get)
            k = r["freq"].pop(word)
            first = first or k
            print("%3d %s %s" % (k, bar(k, first, 20).ljust(20), word))
    elif argv[0] == "babble":
        word = random.choice(r["words"])
        for i in range(n):
            print(word, end="\n" if i % 12 == 11 else " ")
            word = roulette(r["next"].get(word) or r["freq"])
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
