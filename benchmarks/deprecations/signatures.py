"""What the functions and classes of a package take, as its sources define them."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.deprecations.sources import Module, Sources

_KEEPING = ("deprecated", "contextmanager", "no_grad", "set_module", "compatibility")
"""Decorators whose functions take what is written."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes, or a class where its objects are made."""

    positional: tuple[str, ...]
    keywords: frozenset[str]
    """What can be passed by keyword only."""
    takes_more: bool
    """Whether it takes any number of positional arguments."""
    takes_all: bool
    """Whether it takes any keyword, and the sources of others say which ones it may be."""

    @property
    def names(self) -> frozenset[str]:
        """The arguments that it has."""
        return self.keywords | frozenset(self.positional)

    @property
    def most(self) -> float:
        """How many positional arguments it takes at most."""
        return math.inf if self.takes_more else len(self.positional)


def signatures(sources: Sources) -> Iterator[tuple[str, Signature]]:
    """Yield the full names of what is defined once, with what it takes."""
    defined = _defined(sources)
    for name, (module, node) in defined.items():
        found = _signature(node, 0) if isinstance(node, ast.FunctionDef) else _of_class(sources, defined, module, node)
        if found is not None:
            yield name, found


_Defined = Mapping[str, tuple[Module, ast.FunctionDef | ast.ClassDef]]


def _defined(sources: Sources) -> _Defined:
    """Return the functions and classes by their full names, without those that depend on a condition."""
    found: dict[str, list[tuple[Module, ast.FunctionDef | ast.ClassDef]]] = {}
    for module in sources.modules.values():
        for one in module.statements:
            if isinstance(one, (ast.FunctionDef, ast.ClassDef)) and not _is_marked(one, "overload"):
                found.setdefault(f"{module.name}.{one.name}", []).append((module, one))
    return {name: one for name, (one, *others) in found.items() if not others and _takes_what_it_says(one[1])}


def _takes_what_it_says(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """Tell whether nothing around a definition, such as `singledispatch`, takes other arguments."""
    if isinstance(node, ast.ClassDef):
        return not _is_marked(node, "dataclass")
    return all(any(word in ast.unparse(one) for word in _KEEPING) for one in node.decorator_list)


def _is_marked(node: ast.FunctionDef | ast.ClassDef, word: str) -> bool:
    return any(word in ast.unparse(one) for one in node.decorator_list)


def _of_class(sources: Sources, defined: _Defined, module: Module, node: ast.ClassDef) -> Signature | None:
    """Return what makes an object of a class: its own `__init__`, or that of the first base that has one."""
    seen: set[ast.ClassDef] = set()
    waiting = [(module, node)]
    while waiting:
        module, node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        made = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name in {"__init__", "__new__"}]
        if made:
            return _signature(made[0], 1)
        names = (ast.unparse(base) for base in reversed(node.bases))
        bases = (defined.get(sources.exports[module.name].get(name, name)) for name in names)
        waiting += [(home, base) for home, base in filter(None, bases) if isinstance(base, ast.ClassDef)]
    return None


def _signature(node: ast.FunctionDef, skipped: int) -> Signature:
    args = node.args
    positional = tuple(one.arg for one in (*args.posonlyargs, *args.args))[skipped:]
    keywords = frozenset(one.arg for one in args.kwonlyargs)
    return Signature(positional, keywords, args.vararg is not None, args.kwarg is not None)
