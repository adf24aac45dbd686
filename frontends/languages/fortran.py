"""Fortran, in free form and in the fixed form of older programs, where a letter C in the first column is a comment."""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import DOUBLE_QUOTED, SINGLE_QUOTED
from frontends.lexing.scanner import Lexicon, comment, number, scanner

_KEYWORDS = """
abstract allocatable allocate assign associate asynchronous backspace bind block call case character class close
codimension common complex concurrent contains continue contiguous critical cycle data deallocate deferred dimension
do double elemental else elseif elsewhere end endassociate endblock enddo endfile endforall endfunction endif
endinterface endmodule endprogram endselect endsubroutine endtype endwhere entry enum enumerator equivalence error
exit extends external final flush forall format function generic goto go if implicit import impure in include inout
inquire integer intent interface intrinsic kind len logical module namelist non_overridable none nopass nullify only
open operator optional out parameter pass pause pointer precision print private procedure program protected public
pure read real recursive result return rewind save select sequence stop submodule subroutine sync target then to type
unformatted use value volatile wait where while write and or not eqv neqv eq ne lt le gt ge true false
"""

_RULES = (
    comment("!", r"[^\n\r]*+"),  # x = 1 ! one → name = number comment
    SINGLE_QUOTED,  # print *, 'it''s' → keyword * , string string
    DOUBLE_QUOTED,
    # 1.5d0 1._8 1.eq.2 → number number number . keyword . number
    number("0-9", r"[0-9]*+(?:\.(?![A-Za-z]{2})[0-9]*+)?+(?:[eEdD][+-]?+[0-9]++)?+(?:_\w++)?+"),
    # .5d0 → number
    number(".", r"[0-9]++(?:[eEdD][+-]?+[0-9]++)?+(?:_\w++)?+"),
)

FREE = Lexicon("fortran", frozenset(_KEYWORDS.split()), _RULES, fold_case=True)
FIXED = Lexicon(
    "fortran",
    frozenset(_KEYWORDS.split()),
    # C a comment⏎      call c → comment keyword name
    (comment("Cc*", r"(?<![^\n\r].)[^\n\r]*+"), *_RULES),
    fold_case=True,
)

FRONTENDS = (
    Frontend(
        "fortran",
        scanner(FREE),
        "own scanner",
        endings=(".f90", ".f95", ".f03", ".f08"),
        aliases=("f90", "f95"),
    ),
    Frontend("fortran77", scanner(FIXED), "own scanner", endings=(".f", ".for", ".f77", ".ftn"), aliases=("f77",)),
)
