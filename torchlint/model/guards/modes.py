"""Flags for a mode of a program in which it does not train, or where nobody minds the time: debugging, testing."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.model.values.evaluator import Evaluator

_MODES = re.compile(
    r"(is_|do_|run_|in_)?"
    r"(debug(ging)?(_mode|_level)?|profil(e|ing)|(test(ing)?|eval(uate|uation)?|infer(ence)?)(_only|_mode)?)"
)


def is_of_another_mode(ev: Evaluator, test: Place, *, holds: bool) -> bool:
    """Tell whether a test lets through what is for another mode than training: `if args.debug > 0:`, `if opt.test:`.

    A name by itself says nothing: what it is given does.
    """
    match test.expression:
        case ast.Attribute(attr=name):
            return holds and _MODES.fullmatch(name.lower()) is not None and ev.truth(test) is not True
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant()]):
            return is_of_another_mode(ev, test.at(left), holds=holds)
        case _:
            return False
