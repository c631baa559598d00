"""What is looked up among the names of a file or package: `models.__dict__[args.arch]`, `getattr(models, name)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.imports import file_attribute
from torchlint.model.values.value_sets import UNKNOWN, Imported, Possibility, PythonFile, ValueSet, known
from torchlint.pytorch.modules import MODULE_FACTORIES

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

# An unknown name of a package whose functions all make modules.
_ANY = "?"


def looked_through(ev: Evaluator, names: Place) -> ValueSet:
    """Return the files and packages whose names a dict holds, by its expression: `vars(models)`; none for any other."""
    match names.expression:
        case ast.Attribute(value=owner, attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[owner]):
            possible = ev.evaluate(names.at(owner))
            return possible if all(isinstance(one.value, (Imported, PythonFile)) for one in possible) else ()
        case ast.Call(func=ast.Name(id="globals"), args=[]):
            return known(PythonFile(names.file))
        case _:
            return ()


def named_in(ev: Evaluator, owner: Possibility, name: object) -> ValueSet:
    """Return what a file or package has under a name; None for an unknown one."""
    match owner.value, name:
        case PythonFile(file=file), str():
            return file_attribute(ev, file, name) or UNKNOWN
        case Imported(name=package), str():
            return known(Imported(f"{package}.{name}"), owner.origin)
        case Imported(name=package), None if f"{package}.".startswith(MODULE_FACTORIES):
            return known(Imported(f"{package}.{_ANY}"), owner.origin)
        case _:
            return UNKNOWN
