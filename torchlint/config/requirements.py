"""Which torch a project is written for, and which companions of it, by its own requirements.

These files belong to other tools, which tell what is wrong in them: one that cannot be read says nothing here, unless
it is no readable file.
"""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from torchlint.config.toml import parsed
from torchlint.config.versions import lower_bound, oldest, required, too_new
from torchlint.errors import UsageError, in_words
from torchlint.files.display_path import shown
from torchlint.files.regular import MOST_OF_SETTINGS, NotRegularError, TooLargeError, read_regular
from torchlint.pytorch.requirements import DISTRIBUTIONS, Required, Version
from torchlint.trees import tree_of

_OPTION = re.compile(r"\s+--?\w.*")
_CONTINUED = re.compile(r"\\\r?\n")
_IN_A_LIST = re.compile(r"\s*-\s*([\"']?)(.*)\1\s*")


def inferred_target(root: Path) -> Version | None:
    """Return the oldest torch that any of the requirements in a project's folder allows."""
    return min(_bounds(root), default=None)


def inferred_companions(root: Path) -> tuple[Required, ...]:
    """Return what the requirements in a project's folder say of companions, where they say anything.

    Of several requirements of one package each may be the one that holds: the oldest of all counts, and the first that
    is too new for one of them.
    """
    found: dict[str, list[str]] = {}
    for requirement in _requirements(root):
        name, versions = required(requirement)
        found.setdefault(DISTRIBUTIONS.get(name, ""), []).append(versions)
    table = _table(root / "pyproject.toml")
    for name, package in DISTRIBUTIONS.items():
        found.setdefault(package, []).extend(_of_poetry(table, name))
    return tuple(
        Required(package, _least(oldest, found[package]), _least(too_new, found[package]))
        for package in sorted(set(DISTRIBUTIONS.values()))
        if any(found[package])
    )


def _least(bound: Callable[[str], Version | None], several: Iterable[str]) -> Version | None:
    return min((one for versions in several if (one := bound(versions)) is not None), default=None)


def _bounds(root: Path) -> Iterator[Version]:
    for requirement in _requirements(root):
        if (bound := lower_bound(requirement)) is not None:
            yield bound
    for versions in _of_poetry(_table(root / "pyproject.toml"), "torch"):
        if (bound := oldest(versions)) is not None:
            yield bound


def _requirements(root: Path) -> Iterator[str]:
    yield from _of_pyproject(root / "pyproject.toml")
    yield from _of_setup_cfg(root / "setup.cfg")
    yield from _of_setup(root / "setup.py")
    for file in sorted([*root.glob("requirements*.txt"), *root.glob("requirements/*.txt")]):
        for line in _CONTINUED.sub(" ", _text(file)).splitlines():
            yield _OPTION.sub("", line)
    for file in (root / "environment.yml", root / "environment.yaml"):
        yield from (item[2] for line in _text(file).splitlines() if (item := _IN_A_LIST.fullmatch(line)))


def _of_pyproject(file: Path) -> Iterator[str]:
    """Yield the dependencies of a project, of its extras and of its groups."""
    table = _table(file)
    project = _table_in(table, "project")
    yield from _strings(project.get("dependencies"))
    for lists in (_table_in(project, "optional-dependencies"), _table_in(table, "dependency-groups")):
        for requirements in lists.values():
            yield from _strings(requirements)


def _of_poetry(table: dict[str, object], package: str) -> Iterator[str]:
    """Yield the versions of a package that Poetry's tables name: `torch = "^2.1"`, `torch = { version = "^2.1" }`."""
    poetry = _table_in(table, "tool", "poetry")
    groups = (_table_in(poetry, "group", name) for name in _table_in(poetry, "group"))
    for holder in (poetry, *groups):
        wanted = _table_in(holder, "dependencies").get(package)
        for one in wanted if isinstance(wanted, list) else [wanted]:
            yield from _strings([one.get("version") if isinstance(one, dict) else one])


def _of_setup_cfg(file: Path) -> Iterator[str]:
    if not (text := _text(file)):
        return
    from configparser import Error, RawConfigParser

    parser = RawConfigParser()
    try:
        parser.read_string(text)
    except Error:
        return
    yield from parser.get("options", "install_requires", fallback="").splitlines()
    if parser.has_section("options.extras_require"):
        for _, requirements in parser.items("options.extras_require"):
            yield from requirements.splitlines()


def _of_setup(file: Path) -> Iterator[str]:
    """Yield the strings in `setup(install_requires=[…])`, or in the list of a name there."""
    try:
        tree = tree_of(_text(file))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    nodes = list(ast.walk(tree))
    named = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg == "install_requires":
            value = named.get(node.value.id) if isinstance(node.value, ast.Name) else node.value
            items = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
            yield from _strings([item.value for item in items if isinstance(item, ast.Constant)])


def _text(file: Path) -> str:
    """Return the text of a file that says `torch`, or a companion, and of no other: most need not be parsed."""
    try:
        data = read_regular(file, MOST_OF_SETTINGS)
    except (NotRegularError, TooLargeError) as error:
        raise UsageError(f"cannot read {shown(file)}: {in_words(error)}") from None
    except OSError:
        return ""
    # `pip freeze >` writes UTF-16 in Windows PowerShell.
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
    else:
        text = data.decode("utf-8-sig", "replace")
    said = text.lower()
    return text if "torch" in said or any(package in said for package in DISTRIBUTIONS.values()) else ""


def _table(file: Path) -> dict[str, object]:
    if not (text := _text(file)):
        return {}
    try:
        return parsed(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError):
        return {}


def _table_in(table: dict[str, object], *path: str) -> dict[str, object]:
    """Return the table at a path, an empty one if there is none."""
    for key in path:
        below = table.get(key)
        table = below if isinstance(below, dict) else {}
    return table


def _strings(value: object) -> Iterator[str]:
    yield from (item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
