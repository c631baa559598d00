"""Flags for a mode in which a program does not train, or where time does not matter: debugging, testing."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Literal

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_MODES = re.compile(
    r"(is_|do_|run_|in_)?"
    r"(debug(ging)?(_mode|_level)?|profil(e|ing)|(test(ing)?|eval(uate|uation)?|infer(ence)?)(_only|_mode)?)"
)
_PARTS_OF_MODES = re.compile(r"(debug|profile|test|eval|infer)_\w+")


def is_of_another_mode(ev: Evaluator, test: Place, *, holds: bool) -> bool:
    """Tell whether a test is true only in another mode than training: `if args.debug > 0:`, `if opt.test:`.

    A name alone is not enough, the value counts. A flag for a part of a mode, `opt.eval_oracle`, is off by default.
    """
    match test.expression:
        case ast.Attribute(attr=name):
            return holds and (_is_mode(ev, test, name.lower()) or _is_part_of_mode(ev, test, name.lower()))
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant()]):
            return is_of_another_mode(ev, test.at(left), holds=holds)
        case _:
            return False


def _is_mode(ev: Evaluator, flag: Place, name: str) -> bool:
    return _MODES.fullmatch(name) is not None and ev.truth(flag) is not True


def _is_part_of_mode(ev: Evaluator, flag: Place, name: str) -> bool:
    if _PARTS_OF_MODES.fullmatch(name) is None:
        return False
    return any(isinstance(one.value, Literal) and not one.value.value for one in ev.evaluate(flag))
