"""Methods of modules that were never moved, called with tensors on the same device.

In a method, its module is on a device that is chosen at run time: the code that makes one moves it. But if a tensor on
the host is an argument, the callers that pass it are known, and so is whether they have moved the module.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Class, Function, Instance
from torchlint.syntax.around import is_self

from .provenance import is_factory, is_made_beside, roots

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Caller
    from torchlint.syntax.scope import Scope


def stays_beside_module(ev: Evaluator, host: Place) -> bool:
    """Tell whether a tensor on the host is passed to a method of a module by callers none of which moves that."""
    return _is_called_unmoved(ev, host.file, host.scope) and all(_is_passed_in(ev, one) for one in roots(ev, host))


@tabled(False)
def _is_called_unmoved(ev: Evaluator, file: ParsedFile, method: Scope) -> bool:
    if not method.is_method or method.outer is None or not is_module(ev, Instance(Class(file, method.outer))):
        return False
    callers = ev.callers(Function(file, method))
    return bool(callers) and all(_is_unmoved(ev, one) for one in callers)


def _is_unmoved(ev: Evaluator, caller: Caller) -> bool:
    match caller.place.expression:
        case ast.Call(func=ast.Attribute(value=receiver)) if is_self(receiver):
            return _is_called_unmoved(ev, caller.place.file, caller.place.scope)
        case ast.Call(func=ast.Attribute(value=receiver)):
            return ev.residence(caller.place.at(receiver)) in {None, HOST}
        case _:
            return False


def _is_passed_in(ev: Evaluator, root: Place) -> bool:
    """Tell whether a tensor is a parameter, or was made on another tensor's device."""
    match root.expression:
        case ast.Name(id=name):
            return any(one.kind == "parameter" for one in root.scope.bindings.get(name, ()))
        case ast.Call():
            return is_factory(ev, root) and is_made_beside(ev, root)
        case _:
            return False
