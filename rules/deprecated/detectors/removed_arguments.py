"""Arguments that PyTorch had once, where a program passes them: `StepLR(optimizer, 30, verbose=True)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from torchlint.edits.call_changes import with_arguments
from torchlint.model.calls import Argument, Call, calls_of
from torchlint.model.options.versions import may_be_from
from torchlint.model.place import Place
from torchlint.pytorch.removed_arguments import REMOVED_ARGUMENTS, RENAMED, WITHOUT_RESULT, RemovedArgument

from .full_names import full_name
from .prepared import is_prepared

if TYPE_CHECKING:
    import libcst as cst

    from torchlint.finding import Edit
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class PassedArgument(Argument):
    """An argument that is gone, where it is passed."""

    name: str
    """The full name of what took it."""
    row: RemovedArgument

    @property
    def is_by_name(self) -> bool:
        """Tell whether it is passed as a keyword."""
        return self.row.argument in self.call.keywords

    @property
    def renamed(self) -> str:
        """Return the argument that took its place, empty if there is none."""
        return RENAMED.get(self.row.argument, "")

    @property
    def is_off(self) -> bool:
        """Tell whether the call does the same without it."""
        return self.value.is_constant and self.value.literals == (False,)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Return the edits that leave it out, if nothing but the output of a program depends on it."""
        is_last = self.is_by_name or self.row.position == len(self.call.arguments) - 1
        if self.row.argument not in WITHOUT_RESULT or self.call.is_open or not is_last:
            return ()
        return self.call.edits.change(partial(_without, word="" if not self.is_by_name else self.row.argument))


def _without(call: cst.CSTNode, word: str) -> cst.CSTNode:
    """Leave out the argument with a keyword, or the last one without."""
    import libcst as cst

    assert isinstance(call, cst.Call)
    positional = [one for one in call.args if one.keyword is None]
    gone = positional[-1] if not word else next(one for one in call.args if one.keyword and one.keyword.value == word)
    return with_arguments(call, [one for one in call.args if one is not gone])


def removed_arguments(ev: Evaluator, file: ParsedFile) -> Iterator[PassedArgument]:
    """Yield the arguments that are gone, in a file that does not handle their absence; `ev` answers for any machine."""
    called = [(call, full_name(ev, call.callee)) for call in calls_of(file, frozenset(REMOVED_ARGUMENTS))]
    for call, name in (*called, *_initializing(ev, file)):
        for row in REMOVED_ARGUMENTS.get(name, ()):
            value = call.argument(row.argument, row.position)
            if value is not None and not is_prepared(ev, call) and not _is_asked(call, row.argument):
                yield PassedArgument(call, value, name, row)


def is_kept_out(one: PassedArgument) -> bool:
    """Tell whether the requirements of the project allow no release without the argument."""
    return not may_be_from(one.call.file, "torch", one.row.gone)


def _initializing(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Call, str]]:
    """Yield the calls of `super().__init__` in classes whose only base took such arguments, with that."""
    for node, statement in file.index.calls("__init__"):
        call = Call(file, node, statement)
        outer = call.scope.outer
        match node.func, outer.node if outer is not None else None:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))), ast.ClassDef(bases=[base]) as kind:
                yield call, full_name(ev, Place(file, base, kind))


def _is_asked(call: Call, argument: str) -> bool:
    """Tell whether a test before the call asks for the argument: `if "verbose" in signature(…).parameters`."""
    return any(f'"{argument}"' in test.code or f"'{argument}'" in test.code for test, _ in call.tests)
