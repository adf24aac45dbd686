"""Clusters of documents that resemble each other.

    clusters           begin here: the criteria, and clusters from arrays in this process
    cluster_tables     the same clusters as tables, for more documents than one process can remember (`connected`)
    phases             runs phase by phase, slice by slice, and stores what each found (`phase_results`)
    relations          the SQL of phases (`pair_filters`: which pairs are counted); `local_sort` sorts arrays instead
    kept_pairs         the pairs that are known already; `update` and `new_numbers` follow a corpus that has changed
    super_shingles     pairs by runs of shingles, faster and less exact

`moss corpus clusters` (`moss.cli.corpus.clusters`) takes arrays with DuckDB, and tables with any other engine.
"""
