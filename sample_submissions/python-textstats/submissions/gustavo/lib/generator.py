import random


class Generator:
    """Second order chain with back-off: if two words are a dead end, the last one alone decides."""

    def __init__(self, tokens: list[str]) -> None:
        self.one: dict[str, list[str]] = {}
        self.two: dict[tuple[str, str], list[str]] = {}
        for i, token in enumerate(tokens[:-1]):
            self.one.setdefault(token, []).append(tokens[i + 1])
            if i > 0:
                self.two.setdefault((tokens[i - 1], token), []).append(tokens[i + 1])
        self.beginnings = [b for a, b in zip(tokens, tokens[1:]) if a == "."] or tokens[:1]

    def next(self, before: str, last: str) -> str:
        candidates = self.two.get((before, last), [])
        # with a single candidate we would only quote the text, so loosen the grip now and then
        if len(candidates) < 2 and random.random() < 0.3:
            candidates = self.one.get(last, candidates)
        if not candidates:
            candidates = self.beginnings
        return random.choice(candidates)

    def paragraph(self, number: int) -> str:
        before, last = ".", random.choice(self.beginnings)
        text = last.capitalize()
        made = 1
        while made < number:
            before, last = last, self.next(before, last)
            if last == ".":
                text += "."
            else:
                text += " " + (last.capitalize() if before == "." else last)
                made += 1
        return text.rstrip(".") + "."
