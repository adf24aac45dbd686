"""Jobs: work in the background, done once, whatever happens to the workers."""
