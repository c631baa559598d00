"""What depends on the mode of a module, or on its caller: `if self.training:`, `p if train else 0`."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.values_of_names import with_values_of_names
from torchlint.syntax.around import dominating_conditions, is_self
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    pass

_MODE = re.compile(
    r"(^|_)(train|eval|test|infer|phase|mode$|mode_|mc|monte|bayes|stochastic|sampl|uncertain|always|determin|generat)"
)


def is_of_mode(place: Place) -> bool:
    """Tell whether a dominating condition of a place is about the mode, or is decided by a caller."""
    parameters = {parameter.name for parameter in place.scope.parameters[1:]}
    tests = (Place(place.file, one.test, one.statement) for one in dominating_conditions(place))
    return any(speaks_of_mode(test) or _is_chosen(test.expression, parameters) for test in tests)


def speaks_of_mode(place: Place) -> bool:
    """Tell whether an expression, or a value of its names and attributes, is about the mode of something."""
    return any(_names_mode(one, node) for one in with_values_of_names(place) for node in walk(one.expression))


def _names_mode(place: Place, node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name):
            return _MODE.search(name.lower()) is not None
        case ast.Attribute(value=owner, attr=name):
            return _MODE.search(name.lower()) is not None or (is_self(owner) and _is_set_from_outside(place, name))
        case _:
            return False


def _is_set_from_outside(place: Place, name: str) -> bool:
    """Tell whether an attribute is a method or property, or is set from outside after the object was made."""
    index = place.file.index
    if any(scope.name == name and scope.is_method for scope in index.scopes):
        return True
    project = place.file.project
    files = (project.parsed(path) for path in list(project.library.holding(f".{name} =")))
    stores = ((file, store) for file in files if file is not None for store in file.index.attribute_stores(name))
    return any(file.index.home[store.statement][0].scope.name != "__init__" for file, store in stores)


def _is_chosen(test: ast.expr, parameters: set[str]) -> bool:
    """Tell whether a caller decides a test, through a parameter: `if drop:`, `if targets is not None:`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_chosen(operand, parameters)
        case ast.BoolOp(values=values):
            return any(_is_chosen(value, parameters) for value in values)
        case ast.Compare(left=ast.Name(id=name), comparators=[ast.Constant()]) | ast.Name(id=name):
            return name in parameters
        case _:
            return False
