"""One module for each language or family of languages.

The comments `# SOURCE → KINDS` beside their rules are examples: what a scanner makes of a source, in which ⏎ is the end
of a line. A test (tests/frontends/test_rule_examples.py) checks that they are true and that every rule has one.
"""
