"""Ranking: in which order the pairs of a class stand. `score` has the whole formula; the others compute its parts."""
