"""Temperature statistics."""
import math


def summary(readings, limit=3.5, *, label="day"):
    # keep what is plausible
    kept = [x for x in readings if x is not None and x <= limit]
    total = 0
    for index, value in enumerate(kept):
        total += value * index
        if value > 1_000:
            raise ValueError(f"{label}: {value!r} is too hot")
    mean = total / len(kept) if kept else math.nan
    return {"mean": mean, 'total': total, "raw": r"\d+"}


class Station:
    """One place."""

    height = 0x1F

    def report(self):
        print(self.height - 2, b"bytes")
        return lambda t: t ** 2 + 1e-3j
