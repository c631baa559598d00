"""Branches of which every arm needs CUDA: which of them runs says nothing about machines without it.

`if gpus == 1: net.cuda()`, `else: DataParallel(net.cuda())`: without any, the second one raises.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.guards.attempts import asks_among
from torchlint.model.place import Place
from torchlint.syntax.device_words import speaks_of_hardware

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def counts_one_either_way(ev: Evaluator, test: Place) -> bool:
    """Tell whether a test compares the number of GPUs with one, and both arms need CUDA.

    The number of processes may be zero if all runs on the host.
    """
    match test.expression, test.statement:
        case (
            ast.Compare(ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Constant(value=1)]) as asked,
            ast.If(test=whole, body=body, orelse=orelse),
        ) if whole is asked and speaks_of_hardware(asked):
            return asks_among(ev, test, body) and asks_among(ev, test, orelse)
        case _:
            return False
