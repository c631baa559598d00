"""The calls of a loss: as a function, as a module that is kept, and right where that is made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, call_at, calls_of, method_calls_of
from torchlint.model.tensors.makers import public_name
from torchlint.model.values.value_sets import Built

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# What losses are called; whatever else one is assigned to in the same file is looked at, too.
_LOSS = re.compile(r"loss|crit|entropy|objective|cost|^(x?ce|bce|nll|kld?)(_|$)|_(ce|bce|nll|kld?)$", re.IGNORECASE)


def loss_calls(ev: Evaluator, file: ParsedFile, functions: frozenset[str], kind: str) -> Iterator[Call]:
    """Yield the calls of a loss in a file, as one of some functions and as a module of a class."""
    yield from calls_of(file, functions)
    made = list(calls_of(file, frozenset({kind})))
    yield from (call for one in made if (call := _called_at_once(one)) is not None)
    words = {word for word in file.index.called_names() if _LOSS.search(word)}
    words |= {name.rpartition(".")[2] for one in made for name in _bound_to(one)}
    for call in method_calls_of(file, frozenset(words)):
        values = [one.value for one in ev.evaluate(call.callee)]
        if values and all(isinstance(one, Built) and public_name(one.name) == kind for one in values):
            yield call


def _called_at_once(made: Call) -> Call | None:
    """Return the call of a loss right where it is made: `nn.CrossEntropyLoss()(scores, labels)`."""
    around = made.parent
    call = call_at(around) if around is not None else None
    return call if call is not None and call.callee.expression is made.expression else None


def _bound_to(made: Call) -> tuple[str, ...]:
    """Return the names and attributes that a loss is assigned to, perhaps moved: `loss = nn.NLLLoss().to(device)`."""
    match made.statement:
        case ast.Assign(value=value):
            return made.at(value).bound_to
        case _:
            return ()
