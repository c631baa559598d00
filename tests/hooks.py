"""The modules that make the site: they are no package, as mkdocs loads them by their files."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

_HOOKS = Path(__file__).parents[1] / "docs" / "hooks"


def hook(name: str) -> ModuleType:
    """Return a module of `docs/hooks` by its name."""
    spec = spec_from_file_location(name, _HOOKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    path = [*sys.path]
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module
