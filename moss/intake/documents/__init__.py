"""Documents as the text that their authors wrote: one module per format, each turning bytes into paragraphs.

`extract` is the only door. Its readers meet strangers' bytes, so they run in a process that may be ended
(`moss.intake.documents.sandbox`); `moss.intake.documents.paragraphs` makes one text of what they find.
"""
