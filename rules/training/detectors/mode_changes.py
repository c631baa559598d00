"""Whether anything that a loop runs may put a module back into train mode."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Imported, Instance
from torchlint.syntax.walk import walk, written

from .trained_module import is_one
from .unrelated_modules import are_unrelated

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

    from .called_within import Within

_TRAINING = re.compile(r"(^|_)train(ing)?(_|$)|set_mode|_mode$", re.IGNORECASE)
# Packages that do not change the mode of a module.
_HARMLESS = frozenset({"torch", "builtins", "copy", "numpy", "tqdm", "math", "os", "time"})


def is_put_back(ev: Evaluator, module: Place, run: Within) -> bool:
    """Tell whether a module may be put into train mode by some calls, or by unknown code."""
    if any(_is_stored(call) for call, _ in run.calls):
        return True
    unseen = (call for call, functions in run.calls if not functions)
    return any(
        (_trains(call) and not _is_of_another(ev, module, call)) or _may_reach(ev, module, call) for call in unseen
    )


def _trains(call: Call) -> bool:
    """Tell whether a call is `model.train()`, or has a similar name."""
    if call.method == "train" and [one.literals for one in call.arguments] == [(False,)]:
        return False
    return _TRAINING.search(call.method) is not None


def _is_of_another(ev: Evaluator, module: Place, call: Call) -> bool:
    """Tell whether a call switches a module that is surely no whole of which another is a part: `encoder.train()`."""
    return call.method == "train" and call.owner is not None and are_unrelated(ev, call.owner, module)


def _is_stored(call: Call) -> bool:
    """Tell whether the function around a call sets the mode manually: `module.training = True`."""
    index = call.file.index
    scopes = {index.home[store.statement][0].scope for store in index.attribute_stores("training")}
    return call.scope in scopes


def _may_reach(ev: Evaluator, module: Place, call: Call) -> bool:
    """Tell whether a call of unknown code may change a module: it receives that, or the object that has it."""
    holder = module.code.rpartition(".")[0]
    if holder == "self" and call.owner is not None and call.owner.code == "self":
        return not call.file.index.attribute_stores(call.method)
    names = [one.value.name for one in ev.evaluate(call.callee) if isinstance(one.value, Imported)]
    if names and all(name.partition(".")[0] in _HARMLESS for name in names):
        return False
    return any(_is_it(ev, module, holder, one) for one in _whole_arguments(call))


def _is_it(ev: Evaluator, module: Place, holder: str, given: Place) -> bool:
    return (holder == "self" and (given.code == "self" or _is_of_class(ev, given, module))) or is_one(ev, given, module)


def _is_of_class(ev: Evaluator, given: Place, module: Place) -> bool:
    """Tell whether a value may be an object of the class in whose method a module is read from `self`."""
    kinds = (one.value.kind.scope for one in ev.evaluate(given) if isinstance(one.value, Instance))
    return any(kind is module.scope.outer for kind in kinds)


def _whole_arguments(call: Call) -> list[Place]:
    """Return the variables and attributes among the arguments of a call, also in a list."""
    assert isinstance(call.expression, ast.Call)
    parents = call.file.parents_in(call.statement)
    passed = (*call.expression.args, *(word.value for word in call.expression.keywords))
    nodes = (node for one in passed for node in walk(one) if isinstance(node, (ast.Name, ast.Attribute)))
    whole = [node for node in nodes if not isinstance(parents.get(node), (ast.Attribute, ast.Call)) or node in passed]
    return [call.at(node) for node in whole if written(node) not in {"True", "False", "None"}]
