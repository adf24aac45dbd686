"""Ways to see a text in which rewriting it changes little: folded letters, words, the outline of a program."""
