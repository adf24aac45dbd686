"""The examples (`>>>`) of a page: `python page_examples.py PAGE` writes what they print now into it."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"(?<=^```python\n)>>> .*?(?=^```$)", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.NORMALIZE_WHITESPACE


def run(page: Path) -> tuple[list[doctest.Example], list[str]]:
    """All examples of a page, one after another, and what each prints."""
    parser, names = doctest.DocTestParser(), {"__name__": "__page__"}
    examples = [example for block in BLOCK.findall(page.read_text()) for example in parser.get_examples(block)]
    printed: list[str] = []

    class Runner(doctest.DocTestRunner):
        """Takes note of what is printed."""

        def report_success(self, out, test, example, got):
            printed.append(got)

        report_failure = report_success

        def report_unexpected_exception(self, out, test, example, exc_info):
            raise ValueError(f"this example fails: {example.source.strip()}") from exc_info[1]

    test = doctest.DocTest(examples, names, page.name, str(page), 0, None)
    Runner(optionflags=OPTIONS).run(test, out=lambda text: None, clear_globs=False)
    return examples, printed


def with_results(text: str, examples: list[doctest.Example], printed: list[str]) -> str:
    """The text of a page with what its examples printed in place of what they should print."""
    results = zip(examples, printed, strict=True)

    def again(block: re.Match[str]) -> str:
        lines = []
        for _ in doctest.DocTestParser().get_examples(block[0]):
            example, got = next(results)
            first, *others = example.source.splitlines()
            lines += [f">>> {first}", *(f"... {line}" for line in others), *got.splitlines()]
        return "\n".join(lines) + "\n"

    return BLOCK.sub(again, text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Path(name)
        page.write_text(with_results(page.read_text(), *run(page)))
