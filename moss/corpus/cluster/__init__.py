"""Clusters of documents that resemble each other."""
