"""Calls of `torch.compile` that compile nothing: whose result is not read, or whose module has no `forward`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import OBJECT_CALLS
from torchlint.model.call_graph.class_hierarchy import family, imported_bases, method_of
from torchlint.model.call_graph.importing import programs_with
from torchlint.model.calls import Call, calls_of
from torchlint.model.guards.catching import is_tried
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Instance, Unknown
from torchlint.pytorch.symbols import COMPILED, MODULE
from torchlint.syntax.around import is_self, loops_around
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class LostCompile:
    """A call of `torch.compile` whose result is never run, and the local name that has it, if any.

    `kind` is the class of the module if that is why: it has no `forward`, and its other methods are not compiled.
    """

    call: Call
    name: str
    kind: str = ""


def lost_compiles(ev: Evaluator, file: ParsedFile) -> Iterator[LostCompile]:
    """Yield the calls of `torch.compile` in a file that compile nothing, in source order."""
    for call in calls_of(file, frozenset({COMPILED})):
        name = _assigned(call)
        is_of_self = name is not None and is_self(name)
        if not call.arguments or file.displays(call.statement) or (not is_of_self and is_tried(call)):
            continue
        if call.is_statement:
            yield LostCompile(call, "")
        elif name is not None and _is_local(ev, call, name) and not _is_read(call, name):
            yield LostCompile(call, name.id)
        elif (kind := _without_forward(ev, call.arguments[0])) is not None:
            yield LostCompile(call, "", kind.scope.name)


def _is_local(ev: Evaluator, call: Call, name: ast.Name) -> bool:
    """Tell whether no other file reads a name that is bound here: it is a function's, or that of a script.

    In a file that nothing imports, what is compiled may be for others; not if code here used the name before.
    """
    if call.scope.kind != "file":
        return call.scope.kind == "function"
    file = call.file
    if file.source.notebook is not None or file.location.stem == "__init__" or len(programs_with(ev, file)) > 1:
        return False
    return any(node.lineno < call.statement.lineno for node, _ in file.name_reads(name.id))


def _without_forward(ev: Evaluator, module: Place) -> Class | None:
    """Return the class of a module that surely has no `forward`, and gets none."""
    possible = ev.evaluate(module)
    value = possible[0].value if len(possible) == 1 else None
    if not isinstance(value, Instance) or set(imported_bases(ev, value.kind)) != {MODULE}:
        return None
    has_one = any(method_of(ev, value.kind, name) is not None or _may_get(ev, value, name) for name in OBJECT_CALLS)
    return None if has_one else value.kind


def _may_get(ev: Evaluator, module: Instance, name: str) -> bool:
    """Tell whether a program may store a function in an attribute of a module: `module.forward = …`."""
    files = filter(None, map(ev.project.parsed, ev.project.library.holding(f".{name} =")))
    owners = (Place(file, one.target, one.statement) for file in files for one in file.index.attribute_stores(name))
    kinds = {Instance(one) for one in family(ev, module.kind) if isinstance(one, Class)}
    values = ([one.value for one in ev.evaluate(owner)] for owner in owners)
    return any(not found or any(isinstance(one, Unknown) or one in kinds for one in found) for found in values)


def _assigned(call: Call) -> ast.Name | None:
    """Return the name that a call alone is assigned to."""
    match call.statement:
        case ast.Assign(targets=[ast.Name() as name], value=value) if value is call.expression:
            return None if name.id.startswith("_") else name
        case _:
            return None


def _is_read(call: Call, name: ast.Name) -> bool:
    """Tell whether a function reads a name after an assignment, except for attributes of `self`.

    `self.eval()` and `self.width` are those of the module itself, compiled or not.
    """
    repeats = next(loops_around(call), None) is not None
    if call.scope.kind == "file":
        return _is_read_in_file(call, name.id, is_everywhere=repeats)
    function = call.scope.node
    owners = {id(one.value) for one in walk(function) if isinstance(one, ast.Attribute)} if is_self(name) else set()
    end = call.statement.end_lineno or call.statement.lineno
    for node in walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)) and name.id in node.names:
            return True
        if not isinstance(node, ast.Name) or node.id != name.id or not isinstance(node.ctx, ast.Load):
            continue
        if (repeats or node.lineno > end) and id(node) not in owners:
            return True
    return False


def _is_read_in_file(call: Call, name: str, *, is_everywhere: bool) -> bool:
    """Tell whether a name of a file is read after an assignment, or in a function, which may be called after it."""
    index, end = call.file.index, call.statement.end_lineno or call.statement.lineno
    for node, statement in call.file.name_reads(name):
        scope = index.home[statement][0].scope
        may_be_after = is_everywhere or scope is not call.scope or node.lineno > end
        if may_be_after and scope.binder(name) is call.scope:
            return True
    return False
