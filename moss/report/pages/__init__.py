"""The pages of a report: overview, pair, submission, cluster."""
