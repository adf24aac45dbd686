"""Cutting texts into tokens: tables of lexical rules, and the arrays that apply them to whole texts at once."""
