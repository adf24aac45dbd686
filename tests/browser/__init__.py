"""Tests of the report in a browser; a package, so that the browser is closed before other tests begin."""
