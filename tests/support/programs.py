"""Programs as students write them, and the classes that hand them in."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path

Files = Mapping[str, str | bytes]


def write_class(root: Path, members: Mapping[str, Files]) -> Path:
    """A folder with one folder for each member, holding these files."""
    root.mkdir(parents=True, exist_ok=True)
    for member, files in members.items():
        for path, content in files.items():
            target = root / member / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def notebook(*sources: str, language: str = "python") -> str:
    """A Jupyter notebook with these code cells; those that begin with # and a blank are markdown."""
    cells = [
        {
            "cell_type": "markdown" if source.startswith("# ") else "code",
            "metadata": {},
            "source": source.splitlines(keepends=True),
        }
        for source in sources
    ]
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"language": language}}, "cells": cells}
    )


_STATEMENTS = (
    "int {a} = {n} * {m} - {k};",
    'if ({a} < {n} && !{b}.isEmpty()) {{ {b}.remove({k}); }} else {{ throw new IllegalStateException("{a}"); }}',
    "for (int {a} = {n}; {a} >= 0; {a} -= {k}) {{ {b}[{a}] ^= {c} << {m}; }}",
    "while ({a}.hasNext()) {{ {b} += {a}.next().length() % {n}; }}",
    'System.err.printf("{a} %d%n", {b} + {n});',
    "double[] {a} = {{ {n}.0, {m}.5, -{k}.25 }};",
    "switch ({a}) {{ case {n}: {b}--; break; default: return {c} ? {m} : null; }}",
    "{a} = {b} == null ? new long[{n}] : {b}.clone();",
    "do {{ {a} >>>= 1; {b}.push({c}); }} while ({a} != {n});",
    "try {{ {a}.wait({n}); }} catch (InterruptedException {b}) {{ break; }}",
    "final char {a} = {b}.charAt({c} / {n});",
    "synchronized ({a}) {{ {b} |= ~{c}; }}",
    "assert {a} instanceof Number : {b};",
    "{a}.sort(({b}, {c}) -> {c} - {b});",
)


def dead_code(seed: int, lines: int) -> str:
    """Java methods that nobody calls, of about so many lines, different for each seed."""
    rng = random.Random(seed)
    name = lambda: rng.choice("uvwxyz") + str(rng.randrange(100))  # noqa: E731
    methods = []
    while sum(method.count("\n") for method in methods) < lines:
        body = "".join(
            "        "
            + rng.choice(_STATEMENTS).format(
                a=name(), b=name(), c=name(), n=rng.randrange(50), m=rng.randrange(9), k=rng.randrange(5)
            )
            + "\n"
            for _ in range(rng.randrange(4, 12))
        )
        methods.append(f"    private static void unused{seed}_{len(methods)}() {{\n{body}    }}\n\n")
    return "".join(methods)


LEDGER = """\
package bank;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;

/** Keeps the accounts of a small bank and prints statements for its customers. */
public class Ledger {
    private static final int OVERDRAFT_FEE = 35;
    private final Map<String, Integer> balances = new HashMap<>();
    private final List<String> journal = new ArrayList<>();

    // Opening an account twice would silently reset the balance.
    public boolean open(String customer, int deposit) {
        if (balances.containsKey(customer) || deposit < 0) {
            return false;
        }
        balances.put(customer, deposit);
        journal.add("open " + customer + " " + deposit);
        return true;
    }

    public void deposit(String customer, int amount) {
        if (amount <= 0) {
            throw new IllegalArgumentException("amount must be positive");
        }
        balances.merge(customer, amount, Integer::sum);
        journal.add("deposit " + customer + " " + amount);
    }

    public int withdraw(String customer, int amount) {
        Integer balance = balances.get(customer);
        if (balance == null) {
            System.out.println("no such customer: " + customer);
            return 0;
        }
        int rest = balance - amount;
        if (rest < 0) {
            rest -= OVERDRAFT_FEE;
            journal.add("fee " + customer + " " + OVERDRAFT_FEE);
        }
        balances.put(customer, rest);
        journal.add("withdraw " + customer + " " + amount);
        return rest;
    }

    public boolean transfer(String from, String to, int amount) {
        if (!balances.containsKey(from) || !balances.containsKey(to)) {
            return false;
        }
        if (balances.get(from) < amount) {
            return false;
        }
        withdraw(from, amount);
        deposit(to, amount);
        return true;
    }

    public double interest(String customer, double rate, int months) {
        double value = balances.getOrDefault(customer, 0);
        for (int month = 0; month < months; month++) {
            value *= 1 + rate / 12;
        }
        return Math.round(value * 100) / 100.0;
    }

    public void statement(String customer) {
        System.out.println("Statement for " + customer);
        int number = 1;
        for (String entry : journal) {
            String[] parts = entry.split(" ");
            if (parts.length == 3 && parts[1].equals(customer)) {
                System.out.printf("%3d  %-10s %8s%n", number++, parts[0], parts[2]);
            }
        }
        System.out.println("Balance: " + balances.get(customer));
    }

    public static void main(String[] args) {
        Ledger ledger = new Ledger();
        Scanner input = new Scanner(System.in);
        while (input.hasNextLine()) {
            String[] words = input.nextLine().trim().split("\\\\s+");
            switch (words[0]) {
                case "open":
                    System.out.println(ledger.open(words[1], Integer.parseInt(words[2])) ? "ok" : "refused");
                    break;
                case "pay":
                    ledger.transfer(words[1], words[2], Integer.parseInt(words[3]));
                    break;
                case "show":
                    ledger.statement(words[1]);
                    break;
                default:
                    System.out.println("what is " + words[0] + "?");
            }
        }
    }
}
"""

MAZE = """\
package maze;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedList;
import java.util.List;
import java.util.Random;

/* A maze on a grid: carved by a random walk, solved by breadth first search. */
public final class Maze {
    private static final int[][] STEPS = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    private final boolean[][] wall;
    private final int width, height;
    private final Random dice;

    public Maze(int width, int height, long seed) {
        this.width = 2 * width + 1;
        this.height = 2 * height + 1;
        this.dice = new Random(seed);
        wall = new boolean[this.height][this.width];
        for (boolean[] row : wall) {
            Arrays.fill(row, true);
        }
        carve(1, 1);
    }

    private void carve(int startRow, int startColumn) {
        Deque<int[]> path = new ArrayDeque<>();
        path.push(new int[] {startRow, startColumn});
        wall[startRow][startColumn] = false;
        while (!path.isEmpty()) {
            int[] here = path.peek();
            int turn = dice.nextInt(4);
            boolean moved = false;
            for (int i = 0; i < 4 && !moved; i++) {
                int[] step = STEPS[(turn + i) & 3];
                int row = here[0] + 2 * step[0], column = here[1] + 2 * step[1];
                if (inside(row, column) && wall[row][column]) {
                    wall[here[0] + step[0]][here[1] + step[1]] = false;
                    wall[row][column] = false;
                    path.push(new int[] {row, column});
                    moved = true;
                }
            }
            if (!moved) {
                path.pop();
            }
        }
    }

    private boolean inside(int row, int column) {
        return row > 0 && row < height && column > 0 && column < width;
    }

    public List<Integer> solve() {
        int goal = (height - 2) * width + width - 2;
        int[] from = new int[width * height];
        Arrays.fill(from, -1);
        LinkedList<Integer> queue = new LinkedList<>();
        queue.add(width + 1);
        from[width + 1] = width + 1;
        while (!queue.isEmpty() && from[goal] < 0) {
            int cell = queue.removeFirst();
            for (int[] step : STEPS) {
                int next = cell + step[0] * width + step[1];
                if (!wall[next / width][next % width] && from[next] < 0) {
                    from[next] = cell;
                    queue.addLast(next);
                }
            }
        }
        LinkedList<Integer> way = new LinkedList<>();
        for (int cell = goal; from[cell] != cell; cell = from[cell]) {
            way.addFirst(cell);
        }
        return Collections.unmodifiableList(way);
    }

    @Override
    public String toString() {
        StringBuilder picture = new StringBuilder();
        List<Integer> way = solve();
        for (int row = 0; row < height; row++) {
            for (int column = 0; column < width; column++) {
                char sign = wall[row][column] ? '#' : way.contains(row * width + column) ? '.' : ' ';
                picture.append(sign);
            }
            picture.append('\\n');
        }
        return picture.toString();
    }

    public static void main(String... args) {
        int size = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        System.out.print(new Maze(size, size, 42L));
    }
}
"""

TRIANGLE = """\
public class Triangle {
    static long[] next(long[] row) {
        long[] below = new long[row.length + 1];
        below[0] = below[row.length] = 1;
        for (int i = 1; i < row.length; i++) below[i] = row[i - 1] + row[i];
        return below;
    }

    public static void main(String[] args) {
        int rows = 12;
        long[] row = {1};
        for (int n = 0; n < rows; n++, row = next(row)) {
            System.out.print(" ".repeat(3 * (rows - n)));
            for (long value : row) System.out.printf("%6d", value);
            System.out.println();
        }
    }
}
"""

WRAP = """\
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class Wrap {
    private final int limit;
    private final StringBuilder line = new StringBuilder();

    Wrap(int limit) { this.limit = limit; }

    void word(String word) {
        if (line.length() > 0 && line.length() + 1 + word.length() > limit) flush();
        if (line.length() > 0) line.append(' ');
        line.append(word);
    }

    void flush() {
        System.out.println(line);
        line.setLength(0);
    }

    public static void main(String[] args) throws IOException {
        Wrap wrap = new Wrap(args.length == 1 ? Integer.valueOf(args[0]) : 72);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
            for (String text; (text = in.readLine()) != null; ) {
                if (text.isBlank()) { wrap.flush(); wrap.flush(); }
                else for (String word : text.strip().split(" +")) wrap.word(word);
            }
        }
        wrap.flush();
    }
}
"""

SHAPES = """\
interface Shape { double area(); default String tell() { return getClass().getSimpleName() + " " + area(); } }

record Circle(double radius) implements Shape {
    public double area() { return Math.PI * radius * radius; }
}

record Rectangle(double a, double b) implements Shape {
    Rectangle { if (a < 0 || b < 0) throw new IllegalArgumentException(); }
    public double area() { return a * b; }
}

class Shapes {
    public static void main(String[] args) {
        var all = java.util.stream.Stream.of(new Circle(1.5), new Rectangle(2, 3.5), new Circle(0.1));
        all.sorted(java.util.Comparator.comparingDouble(Shape::area).reversed()).map(Shape::tell)
            .forEach(System.out::println);
    }
}
"""

SIEVE = """\
import java.util.BitSet;

public class Sieve {
    public static BitSet primes(int limit) {
        BitSet prime = new BitSet(limit + 1);
        prime.set(2, limit + 1);
        for (int p = prime.nextSetBit(0); (long) p * p <= limit; p = prime.nextSetBit(p + 1)) {
            int multiple = p * p;
            while (multiple <= limit) { prime.clear(multiple); multiple += p; }
        }
        return prime;
    }

    public static void main(String[] unused) {
        int twins = 0, last = Integer.MIN_VALUE;
        BitSet prime = primes(1_000_000);
        for (int p = prime.nextSetBit(0); p >= 0; p = prime.nextSetBit(p + 1)) {
            if (p - last == 2) twins++;
            last = p;
        }
        System.out.println(prime.cardinality() + " primes, " + twins + " pairs of twins");
    }
}
"""

HONEST_JAVA: dict[str, Files] = {
    "hugo": {"Triangle.java": TRIANGLE},
    "ida": {"Wrap.java": WRAP},
    "jan": {"Shapes.java": SHAPES},
    "kira": {"Sieve.java": SIEVE},
}

DIARY_PY = '''\
"""A diary in one file: add entries, search them, count the words of each month."""

import argparse
import datetime
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

STORE = Path.home() / ".diary.json"
WORD = re.compile(r"[a-z']+")


def load(path=STORE):
    """All entries, the oldest first; none if the file is not there yet."""
    if not path.exists():
        return []
    with path.open() as file:
        entries = json.load(file)
    return sorted(entries, key=lambda entry: entry["when"])


def save(entries, path=STORE):
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(entries, indent=2))
    temporary.replace(path)


def add(text, mood=None):
    """Append an entry and return its number."""
    entries = load()
    now = datetime.datetime.now().isoformat(timespec="minutes")
    entries.append({"when": now, "text": text.strip(), "mood": mood or "calm"})
    save(entries)
    return len(entries)


def search(needle, entries):
    for number, entry in enumerate(entries, 1):
        position = entry["text"].lower().find(needle.lower())
        if position >= 0:
            start = max(0, position - 20)
            yield number, entry["when"], entry["text"][start : position + 40]


def months(entries):
    """Words and moods of each month."""
    words, moods = defaultdict(int), defaultdict(Counter)
    for entry in entries:
        month = entry["when"][:7]
        words[month] += len(WORD.findall(entry["text"].lower()))
        moods[month][entry["mood"]] += 1
    return {month: (words[month], moods[month].most_common(1)[0][0]) for month in sorted(words)}


def streak(entries):
    days = sorted({datetime.date.fromisoformat(entry["when"][:10]) for entry in entries})
    best = run = 0
    previous = None
    for day in days:
        run = run + 1 if previous and (day - previous).days == 1 else 1
        best = max(best, run)
        previous = day
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["add", "search", "months", "streak"])
    parser.add_argument("text", nargs="*")
    options = parser.parse_args()
    entries = load()
    if options.command == "add":
        print("entry", add(" ".join(options.text)))
    elif options.command == "search":
        for number, when, excerpt in search(" ".join(options.text), entries):
            print(f"{number:4} {when} ...{excerpt}...")
    elif options.command == "months":
        for month, (count, mood) in months(entries).items():
            print(month, count, mood, sep="\\t")
    else:
        print(streak(entries), "days in a row")


if __name__ == "__main__":
    main()
'''

HONEST_PYTHON: dict[str, Files] = {
    "lars": {
        "dice.py": """\
import random


def roll(dice="2d6"):
    count, sides = map(int, dice.split("d"))
    return [random.randint(1, sides) for _ in range(count)]


def histogram(trials):
    table = [0] * 13
    for _ in range(trials):
        table[sum(roll())] += 1
    for total, seen in enumerate(table[2:], start=2):
        print("%2d %s" % (total, "*" * (seen * 60 // trials)))


histogram(10000)
"""
    },
    "mona": {
        "stack.py": """\
import operator
import sys

OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


class Stack:
    def __init__(self):
        self.items = []

    def push(self, *values):
        self.items.extend(values)
        return self

    def pop(self):
        assert self.items, "the stack is empty"
        return self.items.pop()


stack = Stack()
for line in sys.stdin:
    for word in line.split():
        if word in OPS:
            right, left = stack.pop(), stack.pop()
            stack.push(OPS[word](left, right))
        else:
            try:
                stack.push(float(word))
            except ValueError as error:
                sys.exit(f"not a number: {error}")
    print(*stack.items)
"""
    },
    "nora": {
        "life.py": """\
def neighbours(cell):
    x, y = cell
    return {(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} - {cell}


def step(alive):
    candidates = alive.union(*map(neighbours, alive))
    return {c for c in candidates if len(neighbours(c) & alive) in ((2, 3) if c in alive else (3,))}


world = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
while True:
    for y in range(20):
        print("".join("#" if (x, y) in world else "." for x in range(40)))
    world = step(world)
    if input() == "q":
        break
"""
    },
}

QUEUE_C = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 64

/* A priority queue of jobs, kept as a binary heap. */
struct job {
    int priority;
    char name[LIMIT];
};

struct queue {
    struct job *jobs;
    size_t count, room;
};

static void grow(struct queue *q)
{
    if (q->count < q->room)
        return;
    q->room = q->room ? 2 * q->room : 8;
    q->jobs = realloc(q->jobs, q->room * sizeof *q->jobs);
    if (q->jobs == NULL) {
        perror("realloc");
        exit(EXIT_FAILURE);
    }
}

static void swap(struct job *a, struct job *b)
{
    struct job t = *a;
    *a = *b;
    *b = t;
}

void push(struct queue *q, int priority, const char *name)
{
    size_t i;
    grow(q);
    i = q->count++;
    q->jobs[i].priority = priority;
    strncpy(q->jobs[i].name, name, LIMIT - 1);
    q->jobs[i].name[LIMIT - 1] = '\\0';
    while (i > 0 && q->jobs[(i - 1) / 2].priority < q->jobs[i].priority) {
        swap(&q->jobs[i], &q->jobs[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

int pop(struct queue *q, struct job *out)
{
    size_t i = 0, child;
    if (q->count == 0)
        return 0;
    *out = q->jobs[0];
    q->jobs[0] = q->jobs[--q->count];
    while ((child = 2 * i + 1) < q->count) {
        if (child + 1 < q->count && q->jobs[child + 1].priority > q->jobs[child].priority)
            child++;
        if (q->jobs[i].priority >= q->jobs[child].priority)
            break;
        swap(&q->jobs[i], &q->jobs[child]);
        i = child;
    }
    return 1;
}

int main(int argc, char **argv)
{
    struct queue q = {NULL, 0, 0};
    struct job job;
    char line[256], name[LIMIT];
    int priority;
    FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!in) {
        fprintf(stderr, "%s: cannot open %s\\n", argv[0], argv[1]);
        return 2;
    }
    while (fgets(line, sizeof line, in)) {
        if (sscanf(line, "%d %63s", &priority, name) == 2)
            push(&q, priority, name);
    }
    while (pop(&q, &job))
        printf("%5d  %s\\n", job.priority, job.name);
    free(q.jobs);
    return 0;
}
"""

HONEST_C: dict[str, Files] = {
    "otto": {
        "wc.c": """\
#include <ctype.h>
#include <stdio.h>

int main(void)
{
    long lines = 0, words = 0, chars = 0;
    int c, inside = 0;
    while ((c = getchar()) != EOF) {
        chars++;
        lines += c == '\\n';
        if (isspace(c)) inside = 0;
        else if (!inside) { inside = 1; words++; }
    }
    printf("%ld %ld %ld\\n", lines, words, chars);
    return 0;
}
"""
    },
    "pia": {
        "gcd.c": """\
#include <stdio.h>
#include <stdlib.h>

unsigned gcd(unsigned a, unsigned b) { return b ? gcd(b, a % b) : a; }

int main(int argc, char *argv[])
{
    unsigned result = 0;
    for (char **p = argv + 1; *p; ++p)
        result = gcd(result, (unsigned) strtoul(*p, NULL, 0));
    do { putchar(result & 1 ? '1' : '0'); } while (result >>= 1);
    puts(argc > 1 ? "" : " nothing given");
}
"""
    },
}

CART_JS = """\
const RATES = { food: 0.07, books: 0.05, other: 0.19 };

class Cart {
  constructor(customer) {
    this.customer = customer;
    this.lines = new Map();
  }

  add(item, count = 1) {
    if (count < 1) {
      throw new RangeError(`count must be positive, not ${count}`);
    }
    const line = this.lines.get(item.id) ?? { item, count: 0 };
    line.count += count;
    this.lines.set(item.id, line);
    return this;
  }

  total() {
    let sum = 0;
    for (const { item, count } of this.lines.values()) {
      const rate = RATES[item.kind] || RATES.other;
      sum += item.price * count * (1 + rate);
    }
    return Math.round(sum * 100) / 100;
  }

  discount(code) {
    const found = this.customer.codes.filter((c) => c.name === code && c.until > Date.now());
    if (found.length === 0) {
      return 0;
    }
    return Math.max(...found.map((c) => c.percent)) / 100 * this.total();
  }

  receipt() {
    const rows = [...this.lines.values()].map(({ item, count }) => `${count} x ${item.name}`);
    rows.push("-".repeat(20), "total " + this.total());
    return rows.join("\\n");
  }
}

module.exports = { Cart };
"""
