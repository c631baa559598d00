"""Modules import downwards: what is imported for its types alone counts, and what is imported within a function."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

_CHECKOUT = Path(__file__).parents[1]
_LARGEST = 3
"""A place, a value and what may be asked of both know of each other."""


def test_no_more_than_three_modules_import_each_other_in_a_circle() -> None:
    imports = _imports()
    reached = {module: _reached(module, imports) for module in imports}
    circles = {frozenset(other for other in below if module in reached[other]) for module, below in reached.items()}

    assert [sorted(circle) for circle in circles if len(circle) > _LARGEST] == []


def _imports() -> dict[str, set[str]]:
    """Return what each module of torchlint and each rule imports of the others."""
    paths = [path for top in ("torchlint", "rules") for path in (_CHECKOUT / top).rglob("*.py")]
    modules = {_name(path): path for path in paths}
    return {name: {one for one in _named(path, modules) if one != name} for name, path in modules.items()}


def _name(path: Path) -> str:
    parts = path.relative_to(_CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _named(path: Path, modules: Collection[str]) -> Iterator[str]:
    """Yield the modules that one imports itself, or names of."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            whole = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in modules else str(node.module) for name in whole)


def _reached(module: str, imports: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    pending = [module]
    while pending:
        new = imports[pending.pop()] - found
        found |= new
        pending += new
    return found
