"""Tests of torch's version: their outcome with every version of torch that the project supports."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Imported, Literal, ValueSet
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.companions import COMPANIONS
from torchlint.pytorch.requirements import nearest_required
from torchlint.pytorch.symbols import VERSION, VERSION_CLASS

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile, Project

# The torch on which the facts of this model were checked: pip installs no older one by default.
_CURRENT = (2, 13)
_NUMBERS = re.compile(r"\d+(\.\d+)*")
_OPERATORS: dict[str, type[ast.cmpop]] = {"<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "==": ast.Eq,
                                          "!=": ast.NotEq}  # fmt: skip
PARSERS = frozenset({"packaging.version.parse", "packaging.version.Version", "distutils.version.LooseVersion",
                     "distutils.version.StrictVersion", "pkg_resources.parse_version",
                     VERSION_CLASS})  # fmt: skip
"""Functions that make a version, which compares by its numbers, from their first argument."""
ASKING = frozenset[str]().union(*(companion.comparing_versions for companion in COMPANIONS))
"""Functions that compare torch's version: `is_torch_version(">=", "2.4")`."""


def is_version(possible: ValueSet) -> bool:
    """Tell whether an expression is the version of torch, parsed or not."""
    return bool(possible) and all(
        isinstance(one.value, Imported) and canonical(one.value.name) == VERSION for one in possible
    )


def compared_version(file: ParsedFile, op: ast.cmpop, others: ValueSet) -> bool | None:
    """Tell how torch's version compares with another, None if that depends on the installation."""
    texts = {one.value.value if isinstance(one.value, Literal) else None for one in others}
    other = _numbers(texts.pop()) if len(texts) == 1 else None
    return _compared(_stripped(file.oldest_torch or _CURRENT), type(op), other) if other else None


def asked_version(file: ParsedFile, operator: ValueSet, other: ValueSet) -> bool | None:
    """Tell the outcome of `is_torch_version(">=", "2.4")`, None if it is open."""
    words = {str(one.value.value) if isinstance(one.value, Literal) else "" for one in operator}
    op = _OPERATORS.get(words.pop()) if len(words) == 1 else None
    return compared_version(file, op(), other) if op is not None else None


def may_be_from(file: ParsedFile, package: str, version: tuple[int, int]) -> bool:
    """Tell whether a file may run with a version of a companion, or a newer one; pip brings the newest."""
    return nearest_required(file.project.requirements, str(file.location), package).may_be_from(version)


def is_from(project: Project, package: str, version: tuple[int, int]) -> bool:
    """Tell whether a project never runs with a companion older than a version."""
    return project.requirements[-1].required(package).is_from(version)


def _compared(oldest: tuple[int, ...], op: type[ast.cmpop], other: tuple[int, ...]) -> bool | None:
    """Compare any version that is not older than one with another."""
    if op in {ast.GtE, ast.Lt}:
        return op is ast.GtE if other <= oldest else None
    if op in {ast.Gt, ast.LtE, ast.Eq, ast.NotEq}:
        return op in {ast.Gt, ast.NotEq} if other < oldest else None
    return None


def _numbers(text: object) -> tuple[int, ...] | None:
    """Return the numbers that a version starts with: 1, 10 for `"1.10.0a0"`."""
    found = _NUMBERS.match(text) if isinstance(text, str) else None
    return _stripped(tuple(map(int, found[0].split(".")))) if found else None


def _stripped(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Drop the trailing zeros: 1.10.0 is 1.10."""
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers = numbers[:-1]
    return numbers
