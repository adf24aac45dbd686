"""Actions that the pages and the API share: each checks, changes and audits on behalf of a visitor."""
