"""The names that the sources of a package define, and the other names that they are exported by.

Nothing of the package is imported: the sources of a release that does not run here are read as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_Exports = Mapping[str, Mapping[str, str]]
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_SKIPPED = ("_internal", "_inductor", "_dynamo", "_vendor")
"""Folders of which nothing is meant to be imported by a program."""


@dataclass(frozen=True)
class Module:
    """A module, parsed; stubs count where a name is compiled."""

    name: str
    tree: ast.Module
    is_package: bool

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """The statements that run when it is imported, in the blocks of `if`, `try` and `with` too."""
        return list(_flat(self.tree.body))

    @cached_property
    def constants(self) -> dict[str, ast.expr]:
        """What is assigned to its names."""
        return {
            target.id: one.value
            for one in self.statements
            if isinstance(one, ast.Assign)
            for target in one.targets
            if isinstance(target, ast.Name)
        }

    def absolute(self, statement: ast.ImportFrom) -> str:
        """Return the full name of the module that a statement imports from."""
        if not statement.level:
            return statement.module or ""
        parts = self.name.split(".")
        outer = parts[: len(parts) - statement.level + self.is_package]
        return ".".join([*outer, *([statement.module] if statement.module else [])])

    @cached_property
    def listed(self) -> frozenset[str] | None:
        """The names in its `__all__`, None if it has none that can be read."""
        lists = [self.constants.get("__all__")]
        lists += [one.value for one in self.statements if isinstance(one, ast.AugAssign) and _is_all(one.target)]
        lists += [one.value for one in self.statements if isinstance(one, ast.AnnAssign) and _is_all(one.target)]
        texts = [
            node.value
            for one in lists
            if one is not None
            for node in ast.walk(one)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        return frozenset(texts) if texts else None


@dataclass(frozen=True)
class Sources:
    """The sources of packages below a folder, as pip installs them."""

    root: Path
    packages: tuple[str, ...]

    @cached_property
    def modules(self) -> dict[str, Module]:
        """The modules, by their full names."""
        found: dict[str, Module] = {}
        for package in self.packages:
            for path in sorted((self.root / package).rglob("*.py")):
                name = ".".join(path.relative_to(self.root).with_suffix("").parts).removesuffix(".__init__")
                if not set(name.split(".")) & set(_SKIPPED):
                    found[name] = Module(name, _parsed(path), path.stem == "__init__")
        return found

    @cached_property
    def compiled(self) -> frozenset[str]:
        """The functions that the stubs of compiled code declare in the namespace `torch`."""
        stub = self.root / "torch" / "_C" / "_VariableFunctions.pyi"
        tree = _parsed(stub) if stub.is_file() else ast.Module([], [])
        return frozenset(one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef))

    @cached_property
    def exports(self) -> dict[str, dict[str, str]]:
        """The names of each module, and the full names of what they are bound to.

        Packages import from one another in cycles: a fixpoint, reached in a few rounds.
        """
        found: dict[str, dict[str, str]] = {name: {} for name in self.modules}
        while (again := {name: dict(self._bound(one, found)) for name, one in self.modules.items()}) != found:
            found = again
        return found

    def _bound(self, module: Module, known: _Exports) -> Iterator[tuple[str, str]]:
        if module.name == "torch":
            yield from ((name, f"torch.{name}") for name in self.compiled)
        for one in module.statements:
            match one:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    yield name, f"{module.name}.{name}"
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        if isinstance(target, ast.Name):
                            named = value.id if isinstance(value, ast.Name) else ""
                            yield target.id, known[module.name].get(named, f"{module.name}.{target.id}")
                case ast.AnnAssign(target=ast.Name(id=name)):
                    yield name, f"{module.name}.{name}"
                case ast.ImportFrom():
                    yield from self._imported(module.absolute(one), one, known)

    def _imported(self, source: str, statement: ast.ImportFrom, known: _Exports) -> Iterator[tuple[str, str]]:
        names = known.get(source, {})
        for alias in statement.names:
            if alias.name == "*":
                listed = self.modules[source].listed if source in self.modules else None
                yield from ((n, full) for n, full in names.items() if (n in listed if listed else n[0] != "_"))
            else:
                yield alias.asname or alias.name, names.get(alias.name, f"{source}.{alias.name}")


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for one in body:
        yield one
        match one:
            case ast.If() | ast.Try() | ast.With():
                blocks = [one.body, getattr(one, "orelse", []), getattr(one, "finalbody", [])]
                blocks += [handler.body for handler in getattr(one, "handlers", [])]
                for block in blocks:
                    yield from _flat(block)


def _is_all(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == "__all__"


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8", errors="replace"))
