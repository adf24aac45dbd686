"""Crawls as people have them: WARC and WET, JSON Lines, Parquet, compressed or not, each record a document."""
