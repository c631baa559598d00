"""The name of a program's device for a fix: the file's own, or one that the fix defines."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from torchlint.edits.importing_edits import Named, after_line, import_edit, leading, named, torches
from torchlint.finding import Edit
from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.devices.literals import device_of
from torchlint.model.edits.expressions_at import expression_at
from torchlint.model.guards.fallback import Fallback
from torchlint.model.options.environment import environment_stores
from torchlint.model.values.value_sets import Class, Literal, Number, Unknown, ValueSet
from torchlint.model.worlds import WITH_CUDA, WITHOUT_CUDA

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Binding, Scope

_OWN = re.compile(r"(?i)_*(?:[a-z]+_)?dev(?:ice)?_*")
_FRESH = ("device", "DEVICE", "torch_device")
_IMPORTS = (ast.Import, ast.ImportFrom)
_BLOCKS = (ast.Try, ast.If, ast.With)
_VISIBLE = "CUDA_VISIBLE_DEVICES"


class DeviceNames:
    """Finds one name for the device that serves all places to be fixed in a file."""

    def __init__(self, file: ParsedFile, places: Sequence[Place], *, is_any_accelerator: bool = False) -> None:
        self._file = file
        self._fallback = Fallback(file.quote, is_any_accelerator)
        self._places = places
        self._mended = {place.key for place in places}
        self._called_device: dict[Scope, tuple[str, ...]] = {}

    def at(self, place: Place) -> Named | None:
        """Return the name of the device at a place, and the edit that defines it if the file does not."""
        if (own := self.own(place)) is not None:
            return own, ()
        if self._fresh is not None and self._fresh.reaches(place):
            return self._fresh.name, self._fresh.edits
        return self.name(place)

    def indexed(self, index: Place) -> Named | None:
        """Return the device of an index if there is CUDA: a variable by the file's own for the index, or a call."""
        if self._fallback.quote in index.text or "\\" in index.text:
            return None
        if (fresh := self._beside(index)) is not None and fresh.reaches(index):
            return fresh.name, fresh.edits
        torch = named(index, "torch")
        return torch and (self._fallback.indexed(torch[0], index.text, as_object=False), torch[1])

    def _beside(self, index: Place) -> _Fresh | None:
        """Return how a device can be defined right after the only place where the file sets an index."""
        name = index.text
        statements = [binding.statement for binding in self._file.index.scope.bindings.get(name, ())]
        if len(statements) != 1 or statements[0] not in self._file.tree.body or named(index, "torch") is None:
            return None
        (statement,) = statements
        torch = next((one for one, where in torches(self._file) if where.lineno < statement.lineno), None)
        # If every expression to be fixed names the index, nothing needs a device without one.
        has_others = any(name not in one.file.texts_in(one.expression) for one in self._places)
        taken = {self._fresh.name} if self._fresh is not None and has_others else set()
        fresh = next((one for one in _FRESH if one not in taken and self._is_free(one)), None)
        stores = environment_stores(self._file, _VISIBLE)
        if torch is None or fresh is None or any(store.place.line > statement.lineno for store in stores):
            return None
        line = f"\n{fresh} = {self._fallback.indexed(torch, name, as_object=True)}"
        return _Fresh(fresh, statement.lineno, (after_line(self._file, statement, line),))

    def device(self, place: Place) -> Named | None:
        """Return an expression for the available device, as an object."""
        torch = named(place, "torch")
        return torch and (self._fallback.device(torch[0]), torch[1])

    def name(self, place: Place) -> Named | None:
        """Return an expression for the name of the available device."""
        fresh = self._fresh if self.is_any_accelerator and self.own(place) is None else None
        if fresh is not None and fresh.reaches(place):
            return f"{fresh.name}.type", fresh.edits
        torch = named(place, "torch")
        return torch and (self._fallback.name(torch[0]), torch[1])

    def conditional(self, place: Place, expression: str) -> Named | None:
        """Return an expression that is another one if there is CUDA, and else the CPU."""
        torch = named(place, "torch")
        return torch and (self._fallback.conditional(torch[0], expression), torch[1])

    @property
    def cpu(self) -> str:
        """Return the name of the CPU in the file's preferred quotes."""
        return self._fallback.cpu

    @property
    def is_any_accelerator(self) -> bool:
        """Tell whether the device may be any accelerator, and not CUDA alone."""
        return self._fallback.is_any_accelerator

    def own(self, place: Place) -> str | None:
        """Return a variable of the file that is the device, or the CPU if there is none, when a place is reached."""
        scope: Scope | None = place.scope
        while scope is not None:
            for name in self._devices_in(scope) if scope.kind != "class" or scope is place.scope else ():
                if self._is_set(place, scope, name) and self._is_device(place, name):
                    return name
            if scope.is_method and (attribute := self._attribute(place, scope)) is not None:
                return attribute
            scope = scope.outer
        return None

    def _devices_in(self, scope: Scope) -> tuple[str, ...]:
        """Return the variables of a scope that are called a device: of thousands, for each place, a few."""
        if scope not in self._called_device:
            self._called_device[scope] = tuple(filter(_OWN.fullmatch, scope.bindings))
        return self._called_device[scope]

    def _attribute(self, place: Place, method: Scope) -> str | None:
        """Return `self.device` if the constructor of the class around a method sets that."""
        receiver = next((parameter.name for parameter in method.parameters), "")
        outer = method.outer
        if method.name == "__init__" or not receiver or outer is None or outer.kind != "class":
            return None
        own = Class(self._file, outer)
        found = method_of(self._file.project.evaluator(WITHOUT_CUDA), own, "__init__")
        stores = self._file.index.attribute_stores("device")
        if found is None or not any(self._file.index.home[s.statement][0].scope is found.scope for s in stores):
            return None
        return f"{receiver}.device" if self._is_device(place, f"{receiver}.device") else None

    def _is_set(self, place: Place, scope: Scope, name: str) -> bool:
        """Tell whether a variable surely has a value when a place is reached."""
        blocks = [block for block, _ in self._file.index.blocks_around(place.statement)]
        for binding in scope.bindings[name]:
            if binding.kind == "parameter":
                return True
            if binding.kind != "assign":
                continue
            if scope is not place.scope:
                if binding.statement in scope.node.body and _outlives(binding, place):
                    return True
            elif self._file.index.home[binding.statement][0] in blocks and binding.statement.lineno < place.line:
                return True
        return False

    def _is_device(self, place: Place, text: str) -> bool:
        """Tell whether an expression is a device on any machine, after the fixes."""
        there = expression_at(place, text)
        ev = self._file.project.evaluator
        return self._suits(ev(WITHOUT_CUDA).evaluate(there)) and _may_be_cuda(ev(WITH_CUDA).evaluate(there))

    def _suits(self, possible: ValueSet) -> bool:
        for one in possible:
            device = device_of(one.value)
            is_text = isinstance(one.value, Literal) and isinstance(one.value.value, str)
            is_index = isinstance(one.value, (Literal, Number)) and not is_text
            if device is None or is_index or isinstance(one.value, Unknown):
                return False
            if device.kind == "cuda" and (one.origin is None or one.origin.key not in self._mended):
                return False
        return bool(possible)

    @cached_property
    def _fresh(self) -> _Fresh | None:
        """Return how a device can be defined below the imports, or None if that is too early or too late."""
        used_at = [place.line for place in self._places if _runs_with_file(place)]
        after = self._below_imports(min(used_at, default=len(self._file.source.text)))
        if after is None:
            return None
        torch = next((name for name, statement in torches(self._file) if statement.lineno <= after.lineno), None)
        name = next((name for name in _FRESH if self._is_free(name)), None)
        if name is None or (torch is None and "torch" in self._file.index.scope.bindings):
            return None
        edit = after_line(self._file, after, f"\n\n{name} = {self._fallback.device(torch or 'torch')}")
        return _Fresh(name, after.lineno, (edit,) if torch else _together(import_edit(self._file, "torch"), edit))

    def _below_imports(self, first_use: int) -> ast.stmt | None:
        """Return the last of the top-level imports, or the store after them that sets the visible devices."""
        stores = [store.place.statement for store in environment_stores(self._file, _VISIBLE)]
        found: ast.stmt | None = None
        for statement in leading(self._file):
            if (statement.end_lineno or statement.lineno) >= first_use:
                break
            if _imports(statement) or statement in stores:
                found = statement
        # Querying CUDA fixes which devices are visible: the program must set the variable before.
        if found is None or any(store.lineno > found.lineno for store in stores):
            return None
        return found

    def _is_free(self, name: str) -> bool:
        scopes = {place.scope for place in self._places}
        while scopes:
            if any(name in scope.bindings for scope in scopes):
                return False
            scopes = {scope.outer for scope in scopes if scope.outer is not None}
        return name not in self._file.index.scope.bindings


@dataclass(frozen=True, slots=True)
class _Fresh:
    """A variable that is to be defined."""

    name: str
    line: int
    edits: tuple[Edit, ...]

    def reaches(self, place: Place) -> bool:
        """Tell whether the variable has its value when a place is reached."""
        return not _runs_with_file(place) or place.line > self.line


def _together(one: Edit, other: Edit) -> tuple[Edit, ...]:
    """Return two edits as one if they insert at the same position."""
    return (one, other) if one.span != other.span else (Edit(one.span, one.text + other.text),)


def _outlives(binding: Binding, place: Place) -> bool:
    """Tell whether a variable of an enclosing scope is set before the function can be called."""
    return not _runs_with_file(place) or binding.statement.lineno < place.line


def _runs_with_file(place: Place) -> bool:
    """Tell whether a place is reached while the file is loaded: defaults and decorators are, bodies are not."""
    scope: Scope | None = place.scope
    while scope is not None:
        if scope.kind == "function":
            return False
        scope = scope.outer
    return True


def _imports(statement: ast.stmt) -> bool:
    return any(isinstance(one, _IMPORTS) for one in (statement.body if isinstance(statement, _BLOCKS) else [statement]))


def _may_be_cuda(possible: ValueSet) -> bool:
    devices = (device_of(one.value) for one in possible)
    return any(device is not None and device.kind in {"cuda", ""} for device in devices)
