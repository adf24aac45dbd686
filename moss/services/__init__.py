"""Services that both web pages and jobs call: looking up passages and earlier work, previews, stored token streams."""
