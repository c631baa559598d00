"""Modules of a program that moves nothing: it makes one of its own classes, and calls that.

Importing a file runs what it calls when it is loaded. So a program is not imported for its classes, to make one and
move it; the file of a model may be imported anywhere, even if it tests itself under `if __name__ == "__main__"`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Imported, Instance, Possibility

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_MOVING = (".to(", ".cuda(", "to_empty(", "prepare(", "set_default_")


def is_of_program(ev: Evaluator, module: Place) -> bool:
    """Tell whether a module is made in a program that moves nothing, and is not moved by its name."""
    file = module.file
    if any(word in file.code for word in _MOVING) or not _runs_functions(ev, file):
        return False
    possible = ev.evaluate(module)
    return bool(possible) and all(_is_made_at_home(ev, file, one) for one in possible) and _is_kept(ev, module)


def _runs_functions(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether a file runs functions of its own as soon as it is loaded, and only for their effect.

    A file may be imported for the result of such a call, but not for a method call's effect.
    """
    at_top = (one for one in file.calls_in_scope(file.index.scope) if file.index.home[one[1]][0].owner is None)
    return any(
        one.file is file and (isinstance(at, ast.Expr) or (one.scope.is_method and one.scope.name != "__init__"))
        for call, at in at_top
        for one in ev.callees(Place(file, call, at))
    )


def _is_made_at_home(ev: Evaluator, file: ParsedFile, one: Possibility) -> bool:
    if not isinstance(one.value, Instance) or one.origin is None or one.origin.file is not file:
        return False
    kinds = [kind for kind in family(ev, one.value.kind) if isinstance(kind, Class)]
    texts = [kind.file.code_of(kind.scope.node) for kind in kinds]
    return kinds[0].file is file and not any("self.to(" in text or "self.cuda(" in text for text in texts)


def _is_kept(ev: Evaluator, module: Place) -> bool:
    """Tell whether only PyTorch receives a module by its name: that moves none."""
    match module.expression:
        case ast.Call():
            return True
        case ast.Name(id=name):
            reads = module.file.reads_in(module.scope.node).get(name)
            passed = {argument: (call, statement) for call, argument, statement in module.file.mentions(name)}
            return all(
                one in passed and _is_of_torch(ev, module, *passed[one]) for one in (reads.whole if reads else ())
            )
        case _:
            return False


def _is_of_torch(ev: Evaluator, module: Place, call: ast.Call, statement: ast.stmt) -> bool:
    callees = [one.value for one in ev.evaluate(Place(module.file, call.func, statement))]
    return bool(callees) and all(isinstance(one, Imported) and one.name.startswith("torch.") for one in callees)
