"""From files of strangers to the rows of a new segment."""
