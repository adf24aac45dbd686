"""Services that both web pages and jobs call: looking up passages and earlier work, and previews of other settings."""
