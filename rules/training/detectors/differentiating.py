"""Whether anything between two lines of a function may compute gradients, or store some in `.grad`."""

from __future__ import annotations

import ast
import re
from collections.abc import Container
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.calls import Call
from torchlint.model.values.tabled import tabled
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.values.value_sets import Function
    from torchlint.syntax.scope import Scope

_COMPUTING = re.compile(r"\w*(backward|grad)\w*|\w*(jacobian|hessian)\w*|[hjv]{2}p", re.IGNORECASE)
# Code about gradients that leaves them unchanged, or clears them. `torch.autograd` computes none by its name alone:
# `torch.autograd.Variable(x)` is in many a `forward`.
_LEAVING = re.compile(
    r"autograd|zero_grad|clip_grad\w*|(no|enable|requires|set)_grad\w*|\w*grad_?norm\w*|requires_grad_?|GradScaler"
)
_TRAINING = re.compile(r"(^|_)(train|fit|learn|closure|run|step|optimi[sz]e)(_|$)", re.IGNORECASE)
# Steps that compute no gradients: `forward_step`, `decoding_step`, `validation_step`.
_COMPUTING_NONE = re.compile(
    r"(^|_)(forward|(en|de)cod\w*|val(id\w*)?|test|eval\w*|infer\w*|pred\w*|sampl\w*|denois\w*)(_|$)", re.IGNORECASE
)


def may_differentiate(
    ev: Evaluator, file: ParsedFile, scope: Scope, after: int, before: int, leave: Container[ast.expr] = ()
) -> bool:
    """Tell whether a function may compute gradients between two lines, or use them manually, without some calls."""
    stores = (store.statement for store in file.index.attribute_stores("grad"))
    changed = (*(statement for _, statement in file.attribute_reads("grad")), *stores)
    if any(after < statement.lineno < before for statement in changed):
        return True
    calls = ((call, statement) for call, statement in file.calls_in_scope(scope) if after < call.lineno < before)
    return any(_may(ev, Call(file, call, statement)) for call, statement in calls if call not in leave)


def _may(ev: Evaluator, call: Call) -> bool:
    name = call.method
    if _COMPUTING.fullmatch(name):
        return _LEAVING.fullmatch(name) is None
    functions = list(callees_of(ev, call))
    if not functions:
        is_training = _TRAINING.search(name) is not None and _COMPUTING_NONE.search(name) is None
        return is_training and not _is_harmless(ev, call)
    return any(_may_inside(ev, function) for function in functions)


@tabled(False)
def _may_inside(ev: Evaluator, function: Function) -> bool:
    file, scope = function.file, function.scope
    names = file.attributes_in(scope.node)
    if any(_COMPUTING.fullmatch(name) and not _LEAVING.fullmatch(name) for name in names):
        return True
    return any(_may(ev, Call(file, call, statement)) for call, statement in file.calls_in_scope(scope))


def _is_harmless(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call is one of a scheduler or of a mode: `scheduler.step()`, `model.train(is_training)`."""
    if call.owner is None:
        return False
    if call.method == "train":
        return all(one.is_constant for one in call.arguments) or ev.is_module(call.owner)
    return "sched" in written(call.owner.expression).lower()
