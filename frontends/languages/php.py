"""PHP.

What stands outside `<?php ... ?>` is one string: it is what the program prints.
"""

from __future__ import annotations

from frontends.frontend import Frontend
from frontends.lexing.lexical_rules import (
    DOUBLE_QUOTED_LINES,
    NUMBER_POINT,
    POINT_NUMBER,
    SINGLE_QUOTED_LINES,
    SLASH_STAR,
)
from frontends.lexing.scanner import Lexicon, comment, scanner, string

_KEYWORDS = """
abstract and array as break callable case catch class clone const continue declare default die do echo else elseif empty
enddeclare endfor endforeach endif endswitch endwhile enum eval exit extends false final finally fn for foreach function
global goto if implements include include_once instanceof insteadof interface isset list match namespace new null or
parent print private protected public readonly require require_once return self static switch throw trait true try
unset use var while xor yield
"""

# <?php // a ?> b <?php c → comment comment string comment name
_LINE = r"(?:[^\n\r?]++|\?(?!>))*+"
_OUTSIDE = r"(?:[^<]++|<(?!\?))*+"
# <?php $a = <<<END⏎b "c" $d⏎END; → comment name = string ;
_HEREDOC = (
    r"<<[ \t]*+(?P<quote>[\"']?+)(?P<tag>[A-Za-z_]\w*+)(?P=quote)[ \t]*+(?:\r\n?+|\n)"
    r"(?:(?![ \t]*+(?P=tag)\b)[^\n\r]*+(?:\r\n?+|\n))*+(?:[ \t]*+(?P=tag)\b|[^\n\r]*+)"
)

LEXICON = Lexicon(
    vocabulary="php",
    statements=True,
    keywords=frozenset(_KEYWORDS.split()),
    letters="$",
    fold_case=True,
    rules=(
        comment("<", r"\?(?:php\b|=)?+"),  # <?= $a ?> → comment name string
        string("<", _HEREDOC),
        string("<", rf"(?<!.<)(?!\?){_OUTSIDE}"),  # <p>a</p><?php b → string comment name
        string("?", rf">{_OUTSIDE}"),  # <?php a ?> if (x) → comment name string
        comment("/", rf"/{_LINE}"),
        SLASH_STAR,
        comment("#", rf"(?!\[){_LINE}"),  # <?php a # b⏎#[C] → comment name comment # [ name ]
        DOUBLE_QUOTED_LINES,
        SINGLE_QUOTED_LINES,
        string("`", r"(?:[^`\\]++|\\.?+)*+`?+"),  # <?php $a = `ls "b"`; → comment name = string ;
        NUMBER_POINT,
        POINT_NUMBER,
    ),
)

FRONTENDS = (
    Frontend(
        "php",
        scanner(LEXICON),
        "own scanner",
        endings=(".php", ".php3", ".php4", ".php5", ".php7", ".phtml"),
        aliases=("php3", "php4", "php5", "php7", "php8"),
    ),
)
