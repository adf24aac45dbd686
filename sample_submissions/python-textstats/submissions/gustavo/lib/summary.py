from dataclasses import dataclass


def tokenize(text: str) -> list[str]:
    """Words and full stops; everything else separates words."""
    cleaned = []
    for ch in text:
        if ch.isalnum() or ch == "'":
            cleaned.append(ch)
        elif ch in ".!?":
            cleaned.append(" . ")
        else:
            cleaned.append(" ")
    tokens = "".join(cleaned).split()
    return [t for t in (t.strip("'") for t in tokens) if t]


def content_words(tokens: list[str], stopwords: set[str]) -> list[str]:
    return [t.lower() for t in tokens if t != "." and t.lower() not in stopwords]


@dataclass(frozen=True)
class Summary:
    lines: int
    words: int
    distinct: int
    sentences: int
    letters: int

    @classmethod
    def of(cls, text: str) -> "Summary":
        tokens = tokenize(text)
        words = [t for t in tokens if t != "."]
        stops = sum(a != "." and b == "." for a, b in zip(tokens, tokens[1:] + ["."]))
        return cls(
            lines=text.count("\n"),
            words=len(words),
            distinct=len({w.lower() for w in words}),
            sentences=stops,
            letters=sum(len(w) for w in words),
        )

    @property
    def grade(self) -> float:
        return 4.71 * self.letters / self.words + self.words / self.sentences / 2 - 21.43

    def render(self) -> str:
        if not self.words:
            return "no words"
        return (
            f"{self.lines} lines\n{self.words} words, {self.distinct} of them different\n"
            f"{self.sentences} sentences\n{self.letters / self.words:.2f} letters per word\n"
            f"{self.words / self.sentences:.2f} words per sentence\nschool grade {self.grade:.0f}"
        )
