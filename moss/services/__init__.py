"""What web pages and jobs both call: looking up passages and earlier work, previews, stored token streams."""
