"""Functions and classes of the project, as rules see them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module, method_of
from torchlint.model.calls import Call
from torchlint.model.headers import name_of
from torchlint.model.modules.unregistered import HiddenModules, hidden_modules
from torchlint.model.place import Place
from torchlint.model.stored import Assignment, assignments_of
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Class, Instance
from torchlint.model.worlds import ANYWHERE
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile


@dataclass(frozen=True, slots=True)
class DefinedFunction:
    """A function or method of a file."""

    file: ParsedFile
    scope: Scope

    @property
    def name(self) -> str:
        """Return the name that it is defined by."""
        return self.scope.name

    @property
    def place(self) -> Place:
        """Return the place of the name in `def name`."""
        return name_of(self.file, self.scope)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Return the names of the parameters, `self` included."""
        return tuple(parameter.name for parameter in self.scope.parameters)

    @property
    def returns(self) -> tuple[Place, ...]:
        """Return the expressions that it returns."""
        found = self.scope.returns
        return tuple(Place(self.file, statement.value, statement) for statement in found if statement.value is not None)

    @property
    def decorators(self) -> tuple[Place, ...]:
        """Return the decorators."""
        node = self.scope.node
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        return tuple(Place(self.file, decorator, node) for decorator in node.decorator_list)

    @property
    def every_step(self) -> bool:
        """Tell whether a training loop runs the function at every step."""
        return step_loops_of(self.file.project).has_function(self.file, self.scope)

    def calls(self) -> Iterator[Call]:
        """Yield the calls that the function makes itself, in source order."""
        for call, statement in self.file.calls_in_scope(self.scope):
            yield Call(self.file, call, statement)

    def assignments(self) -> Iterator[Assignment]:
        """Yield the assignments in the function, in source order."""
        return (one for one in assignments_of(self.file) if one.target.scope is self.scope)

    def callers(self) -> tuple[Place, ...]:
        """Return the known calls of the function in the whole project."""
        return self.file.project.evaluator(ANYWHERE).callers_of(self.file, self.scope)


@dataclass(frozen=True, slots=True)
class DefinedClass:
    """A class of a file."""

    file: ParsedFile
    scope: Scope

    @property
    def name(self) -> str:
        """Return the name that it is defined by."""
        return self.scope.name

    @property
    def is_module(self) -> bool:
        """Tell whether it is a kind of nn.Module."""
        return is_module(self.file.project.evaluator(ANYWHERE), Instance(Class(self.file, self.scope)))

    @property
    def bases(self) -> tuple[str, ...]:
        """Return the full names of its bases outside the project, those of its bases within it included."""
        ev = self.file.project.evaluator(ANYWHERE)
        return tuple(base for base in family(ev, Class(self.file, self.scope)) if isinstance(base, str))

    @property
    def methods(self) -> tuple[DefinedFunction, ...]:
        """Return the methods that its own body defines, in source order."""
        return tuple(
            DefinedFunction(self.file, scope)
            for scope in self.file.index.scopes
            if scope.outer is self.scope and scope.is_method
        )

    def method(self, name: str) -> DefinedFunction | None:
        """Return the method by that name, its own or inherited within the project."""
        found = method_of(self.file.project.evaluator(ANYWHERE), Class(self.file, self.scope), name)
        return DefinedFunction(found.file, found.scope) if found is not None else None

    def hidden_modules(self) -> Iterator[HiddenModules]:
        """Yield the plain lists and dicts in which its objects keep modules or parameters that are not registered."""
        return hidden_modules(self.file.project.evaluator(ANYWHERE), Class(self.file, self.scope))

    def attribute_assignments(self) -> Iterator[Assignment]:
        """Yield every `self.name = value` of its own methods, in source order."""
        for method in self.methods:
            if method.parameters:
                yield from (one for one in method.assignments() if _is_own(one, method.parameters[0]))


def _is_own(assignment: Assignment, receiver: str) -> bool:
    owner = assignment.target.owner
    return bool(assignment.attribute) and owner is not None and owner.code == receiver
