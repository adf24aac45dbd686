"""Results of other tools as reports of ours, to look at: of JPlag, and of Stanford's MOSS.

Nothing is compared again. A report says that it was imported, from which tool, and what its scores mean; what only moss
finds out, such as what is ordinary in a class, or who else has a passage, is not claimed.
"""

from __future__ import annotations

from pathlib import Path

from moss.imported.found import ForeignResult, make_report
from moss.imported.jplag import is_jplag, read_jplag
from moss.imported.moss_pages import is_moss, read_moss
from moss.imported.result_files import ResultFiles, open_result
from moss.intake.limits import IntakeError
from moss.intake.names import displayable
from moss.messages import gettext
from moss.model import Report


def import_result(path: Path) -> Report:
    """The report of a result of JPlag or MOSS; raises IntakeError, with the path, if it is none that can be read."""
    shown = displayable(str(path))
    try:
        with open_result(path) as files:
            return make_report(_found(files), shown)
    except IntakeError as error:
        raise IntakeError(gettext("%(path)s cannot be imported: %(reason)s", path=shown, reason=error)) from None


def _found(files: ResultFiles) -> ForeignResult:
    if is_jplag(files):
        return read_jplag(files)
    if is_moss(files):
        return read_moss(files)
    raise IntakeError(
        gettext("it is neither a result of JPlag (a .jplag or zip file) nor saved pages of MOSS (index.html)")
    )
