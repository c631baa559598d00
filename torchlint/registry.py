"""Find the rules that are installed."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from types import ModuleType

from torchlint.rule import Rule

BUILTIN = "torchlint.rules"


@cache
def builtin_rules() -> dict[str, type[Rule]]:
    """Return every rule that ships with torchlint, by name, in the order of their names."""
    return {rule.name: rule for rule in sorted(rules_of(BUILTIN), key=lambda rule: rule.name)}


def rules_of(pack: str) -> Iterator[type[Rule]]:
    """Yield the rules that a package defines, in the order of their modules."""
    for module in _modules_of(importlib.import_module(pack)):
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__:
                yield value


def _modules_of(package: ModuleType) -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)
