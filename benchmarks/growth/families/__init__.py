"""The families, by kind: each module here registers those that it defines."""

from benchmarks.growth.families import (
    attributes,
    branches,
    calls,
    classes,
    closures,
    containers,
    imports,
    loops,
    modules,
    names,
    options,
    passing,
    recipes,
    rings,
    strings,
)
from benchmarks.growth.family import FAMILIES, Family

__all__ = [
    "FAMILIES",
    "Family",
    "attributes",
    "branches",
    "calls",
    "classes",
    "closures",
    "containers",
    "imports",
    "loops",
    "modules",
    "names",
    "options",
    "passing",
    "recipes",
    "rings",
    "strings",
]
