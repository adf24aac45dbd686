"""Collections too large for one comparison: archives of years, essays of a university, a crawl."""
