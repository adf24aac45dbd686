"""Documents as the text that their authors wrote: one module per format, each turning bytes into paragraphs.

`formats` is the only door. Readers meet strangers' bytes, so they run in processes that may be ended
(`moss.intake.sandbox`); `paragraphs` makes one text of what they find.
"""
