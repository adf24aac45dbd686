"""Questions about a corpus: who has this text, where a page went, why two are alike, how a host changed."""
