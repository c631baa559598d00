"""Whether a module computes something else in eval mode than in train mode, by the layers that it is built of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.calls import Call
from torchlint.model.containers.module_containers import is_container, modules_in
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Class, Function, Imported, Instance, Possibility, Unknown, ValueSet
from torchlint.pytorch.symbols import MODULE, NN

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Scope

# Of normalizations these have statistics, instance norms if they are to keep some; recurrent layers drop if their
# argument says so, transformers unless it says not to.
_WITH_MODES = re.compile(
    r"ropout|drop_?path|batch_?norm|sync_?bn|track_running_stats *= *True|rrelu|transformer|\.training\b"
    r"|from_pretrained|hub\.load",
    re.IGNORECASE,
)
PLAIN_BASES = frozenset({MODULE, "builtins.object", "abc.ABC", "typing.Generic"})
"""Bases without a layer, and without a mode of their own."""
_MODEL_PACKAGES = frozenset({"torchvision", "timm", "transformers", "monai", "segmentation_models_pytorch"})
# Packages without layers.
_PLAIN_PACKAGES = frozenset("torch builtins numpy math typing functools itertools collections copy einops os".split())
_MODULE_NAME = re.compile(
    r"(^|_)(net|model|module|layer|block|encoder|decoder|backbone|head|norm|act|conv)", re.IGNORECASE
)


def has_modes(ev: Evaluator, module: Place) -> bool:
    """Tell whether a module may compute something else in eval mode; an unknown one may."""
    possible = ev.evaluate(module)
    modes = _Modes(ev, is_unknown_moded=True)
    return not possible or any(modes.of(one) for one in possible)


def shows_modes(ev: Evaluator, module: Place) -> bool:
    """Tell whether a layer that computes something else in eval mode is seen in a module."""
    modes = _Modes(ev, is_unknown_moded=False)
    return any(modes.of(one) for one in ev.evaluate(module))


class _Modes:
    """The memo of which modules and parts have modes, each class once."""

    def __init__(self, ev: Evaluator, *, is_unknown_moded: bool) -> None:
        self._ev = ev
        self._unknown = is_unknown_moded
        self._seen: set[Scope | Possibility] = set()

    def of(self, one: Possibility) -> bool:
        """Tell whether something may be a module with two modes."""
        inner = unwrapped(self._ev, one)
        if inner is None and is_container(one.value):
            inner = modules_in(self._ev, one)
        if inner is not None:
            return self._of_parts(one, inner)
        match one.value:
            case Instance(kind=kind):
                return self._of_class(kind)
            case Built(name=name) if name.startswith(NN) and (name != MODULE or one.origin is not None):
                return _WITH_MODES.search(f"{name} {one.origin.code if one.origin is not None else ''}") is not None
            case Built(name=name) | Imported(name=name):
                return self._is_foreign(name)
            case _:
                return self._unknown

    def _of_parts(self, one: Possibility, parts: ValueSet) -> bool:
        if one in self._seen:
            return False
        self._seen.add(one)
        return any(self.of(part) for part in parts)

    def _of_class(self, kind: Class) -> bool:
        if kind.scope in self._seen:
            return False
        self._seen.add(kind.scope)
        return any(self._of_base(one) for one in family(self._ev, kind))

    def _of_base(self, one: Class | str) -> bool:
        if isinstance(one, str):
            return one not in PLAIN_BASES and (self._is_foreign(one) if not one.startswith(NN) else _is_moded(one))
        if _WITH_MODES.search(one.file.code_of(one.scope.node)) is not None:
            return True
        methods = [scope for scope in one.file.index.scopes if scope.outer is one.scope and scope.kind == "function"]
        return any(self._of_method(one, method) for method in methods)

    def _of_method(self, kind: Class, method: Scope) -> bool:
        calls = (Call(kind.file, call, at) for call, at in kind.file.calls_in_scope(method))
        if any(self._calls_modes(call, is_setup=method.name == "__init__") for call in calls):
            return True
        return method.name == "__init__" and any(self._is_given(one) for one in _kept(kind, method))

    def _calls_modes(self, call: Call, *, is_setup: bool) -> bool:
        """Tell whether a call makes a module with two modes, or runs a function of the project that mentions one."""
        for one in self._ev.evaluate(call.callee):
            match one.value:
                case Class() as kind if is_module(self._ev, Instance(kind)):
                    if self._of_class(kind):
                        return True
                case Function() as function:
                    if self._of_function(function, is_setup=is_setup):
                        return True
                case Imported(name=name) if is_setup and _makes_foreign(name) and self._is_foreign(name):
                    return True
                case Unknown() if is_setup and call.owner is None and self._unknown:
                    return True
        return False

    def _of_function(self, function: Function, *, is_setup: bool) -> bool:
        if function.scope in self._seen:
            return False
        self._seen.add(function.scope)
        if _WITH_MODES.search(function.file.code_of(function.scope.node)) is not None:
            return True
        calls = function.file.calls_in_scope(function.scope)
        return any(self._calls_modes(Call(function.file, call, at), is_setup=is_setup) for call, at in calls)

    def _is_given(self, kept: Place) -> bool:
        """Tell whether an attribute may be a module that is an argument."""
        found = self._ev.evaluate(kept)
        if any(isinstance(one.value, Unknown) for one in found) and _MODULE_NAME.search(kept.word) is not None:
            return self._unknown
        return any(is_module(self._ev, one.value) and self.of(one) for one in found)

    def _is_foreign(self, name: str) -> bool:
        """Tell whether what another package makes may have modes: that of packages of models surely does."""
        return self._unknown or name.partition(".")[0] in _MODEL_PACKAGES


def _is_moded(name: str) -> bool:
    return _WITH_MODES.search(name) is not None


def _makes_foreign(name: str) -> bool:
    """Tell whether something of another package may make a module: it is a class, or has such a name."""
    package, last = name.partition(".")[0], name.rpartition(".")[2]
    is_named = last[:1].isupper() or _MODULE_NAME.search(last) is not None
    return package not in _PLAIN_PACKAGES and (is_named or package in _MODEL_PACKAGES)


def _kept(kind: Class, method: Scope) -> Iterator[Place]:
    """Yield what a method stores in attributes: `self.encoder = encoder`."""
    for store in kind.file.index.stores:
        if store.value is not None and kind.file.index.home[store.statement][0].scope is method:
            yield Place(kind.file, store.value, store.statement)
