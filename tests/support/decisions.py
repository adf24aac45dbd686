"""Forms by which a case is decided on a page."""

from moss.web.pages.cases import CHECKS

CONFIRMED = {"state": "confirmed", "checked": [*CHECKS]}
"""The form that confirms a case, with every point of the list ticked."""
