"""Near-duplicates by simhash: fingerprints that differ in a few bits."""
