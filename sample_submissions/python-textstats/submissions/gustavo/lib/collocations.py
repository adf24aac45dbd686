from math import log2


class Collocations:
    """Neighbours that meet more often than chance would make them (pointwise mutual information)."""

    def __init__(self, tokens, stopwords):
        self.single, self.double = {}, {}
        self.n = len(tokens)
        lower = [t.lower() for t in tokens]
        for w in lower:
            self.single[w] = self.single.get(w, 0) + 1
        for pair in zip(lower, lower[1:]):
            if "." not in pair and not stopwords & set(pair):
                self.double[pair] = self.double.get(pair, 0) + 1

    def score(self, pair):
        a, b = pair
        return log2(self.double[pair] * self.n / (self.single[a] * self.single[b]))

    def best(self, number):
        frequent = [p for p, k in self.double.items() if k > 1]
        ranked = sorted(((self.score(p), *p) for p in frequent), reverse=True)
        return ranked[:number]
