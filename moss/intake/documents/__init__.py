"""Documents as the text that their authors wrote: one module per format, each turning bytes into paragraphs.

`formats` tells which files are documents, and `extraction` is the door to their readers. These meet strangers' bytes,
so they run in processes that may be ended (`moss.intake.sandbox`); `paragraphs` makes one text of what they find.
"""
