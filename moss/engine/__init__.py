"""The engine: from token streams to fingerprints, ranked pairs and passages. Arrays in, arrays out.

    kgrams, winnowing           which hashes of a stream become fingerprints
    documents, index            the files of a submission in one layer, and who has each fingerprint
    ranking                     in which order pairs stand; `ranking.score` has the whole formula
    seeds, runs, tiles          what two documents share, from places to disjoint equal runs
    promise, promised_runs      move tiles that would break a shared run of the guaranteed length
    alignment                   puts these together: the passages of a pair

`union_find` joins what is connected, `token_spans` and `sort_order` are for speed.
"""
