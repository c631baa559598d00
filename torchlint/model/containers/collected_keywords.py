"""What `**kwargs` collects: the keywords of a call, as a dict without a display."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.containers.displays import lacks
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Display, Possibility, ValueSet, known
from torchlint.syntax.arguments import has_open_keywords, has_star

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Caller, Place
    from torchlint.syntax.scope import Parameter, Scope

_FILLING = ("update", "setdefault")


def collected(caller: Caller, parameter: Parameter) -> ValueSet:
    """Return the dict that a parameter collects from a call, which may hold more."""
    call = caller.place.expression
    if parameter.star != "**" or not isinstance(call, ast.Call) or not _says_all(caller, call):
        return ()
    return known(Display(caller.place.at(caller.place.file.keywords_of(call))))


def _says_all(caller: Caller, call: ast.Call) -> bool:
    """Tell whether the keywords of a call are those of the function: not those of `Process(target=train, …)`."""
    if caller.fixed is not None or not caller.is_complete:
        return False
    is_complete = not caller.is_open or has_star(call.args) or has_open_keywords(call)
    return is_complete and all(word.arg is None or word.arg in caller.keywords for word in call.keywords)


def is_not_passed(mapping: Place, found: Possibility, key: object) -> bool:
    """Tell whether something, read at a place, is the `**kwargs` of a call that does not pass a certain name."""
    if not isinstance(found.value, Display) or not isinstance(mapping.expression, ast.Name):
        return False
    written = found.value.place
    is_collected = written.expression not in written.file.parents_in(written.statement)
    return is_collected and lacks(found, key) and not _is_filled(mapping.file, mapping.scope, mapping.expression.id)


def is_only_collected(ev: Evaluator, mapping: Place) -> bool:
    """Tell whether a name is a parameter that collects keywords, and its function adds nothing to it."""
    node = mapping.expression
    return isinstance(node, ast.Name) and node.id == _only_collected(ev, mapping.file, mapping.scope)


@tabled("")
def _only_collected(ev: Evaluator, file: ParsedFile, scope: Scope) -> str:  # noqa: ARG001
    """Return the name of the parameter that collects keywords, if its function adds nothing to it."""
    collecting = next((one.name for one in scope.parameters if one.star == "**"), None)
    if collecting is None or len(scope.bindings.get(collecting, ())) != 1:
        return ""
    return "" if _is_filled(file, scope, collecting) else collecting


def _is_filled(file: ParsedFile, scope: Scope, name: str) -> bool:
    """Tell whether a function adds items to a dict that a name is bound to."""
    if file.stores.items_in(scope, name):
        return True
    return any(True for method in _FILLING for _ in file.method_calls_on(name, method))
