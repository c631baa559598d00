"""What the sources of a package say is deprecated, or no longer does anything but raise.

PyTorch says so in four ways: by the decorator `deprecated`; by a call of `warnings.warn` that each call of the function
reaches; in a docstring; and, where it removed something, by a body that raises.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.deprecations.sources import Definition, Module, Sources

_SAYS = re.compile(r"deprecat|renamed to|(?:will|to) be removed|now removed", re.IGNORECASE)
_DOCUMENTED = r"(?:This (?:function|class)|`?(?:~?torch\.)?\b{name}`?)\s+is\s+deprecated"
"""What a docstring says of the function or class that it describes."""
_NAMED = re.compile(
    r"(?:\buse|in\s+favou?r\s+of|(?:re)?named\s+to|replaced\s+(?:by|with)|switch\s+to)\s+"
    r"(?:the\s+)?(?:new\s+)?(?::\w+:)?[`'\"]*~?([A-Za-z_][\w.]*\w)",
    re.IGNORECASE,
)


class How(StrEnum):
    """What happens to a program that uses a name."""

    WARNS = "warns"
    DOCUMENTED = "documented"
    """Its docstring says so; only a run tells whether it warns, too."""
    SILENT = "silent"
    """It is only marked for type checkers."""
    RAISES = "raises"


@dataclass(frozen=True, slots=True)
class Mark:
    """A name, as it is defined, that the sources say is deprecated."""

    name: str
    how: How
    instead: tuple[str, ...]
    """The names that the text names as replacements, as they are written there."""


def marks(sources: Sources) -> Iterator[Mark]:
    """Yield what the sources say is deprecated or only raises."""
    for module in sources.modules.values():
        yield from _of_module(module)
        for one in module.statements:
            if isinstance(one, Definition):
                yield from _of_definition(module, one, module.name)
            elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call):
                yield from _of_docstring(module, one.value)


def _of_module(module: Module) -> Iterator[Mark]:
    for one in module.tree.body:
        if isinstance(one, ast.Expr) and (text := _warned(module, one.value)) is not None:
            yield _mark(module.name, How.WARNS, text)


def _of_docstring(module: Module, call: ast.Call) -> Iterator[Mark]:
    """Yield the compiled function whose docstring says that it is deprecated: `add_docstr(torch.qr, …)`."""
    match call.args:
        case [ast.Attribute(value=ast.Name(id="torch"), attr=name), text] if _word(call.func) == "add_docstr":
            yield from _documented(f"torch.{name}", _text(module, text))


def _documented(name: str, text: str) -> Iterator[Mark]:
    """Yield the mark of what is described by a docstring, if that says that it is deprecated."""
    found = re.search(_DOCUMENTED.format(name=name.rpartition(".")[2]), text)
    if found is not None:
        yield _mark(name, How.DOCUMENTED, text[found.start() :])


def _of_definition(module: Module, node: Definition, owner: str) -> Iterator[Mark]:
    name = f"{owner}.{node.name}"
    if any(_word(decorator) == "overload" for decorator in node.decorator_list):
        return
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and _word(decorator.func).lstrip("_") == "deprecated":
            category = next((word.value for word in decorator.keywords if word.arg == "category"), None)
            is_silent = isinstance(category, ast.Constant) and category.value is None
            yield _mark(name, How.SILENT if is_silent else How.WARNS, _texts(module, decorator))
    yield from _documented(name, ast.get_docstring(node) or "")
    if isinstance(node, ast.ClassDef):
        for part in node.body:
            if isinstance(part, ast.FunctionDef):
                yield from (_of_class(one, name) for one in _of_definition(module, part, name))
        return
    for one in node.body:
        if (text := _always_warned(module, one)) is not None:
            yield _mark(name, How.WARNS, text)
        if isinstance(one, ast.Raise) and isinstance(one.exc, ast.Call) and _SAYS.search(_texts(module, one.exc)):
            yield _mark(name, How.RAISES, _texts(module, one.exc))


def _of_class(mark: Mark, name: str) -> Mark:
    """Return the mark of a class for what is said where its objects are made."""
    is_made = mark.name in {f"{name}.__init__", f"{name}.__new__"}
    return Mark(name, mark.how, mark.instead) if is_made else mark


def _always_warned(module: Module, statement: ast.stmt) -> str | None:
    """Return the text of a warning that a statement gives in any case, None if there is none."""
    match statement:
        case ast.Expr(value=value):
            return _warned(module, value)
        # What is said differs by the Python that runs it, and not that it is.
        case ast.If(test=test, orelse=other) if "version_info" in ast.unparse(test):
            return next((text for one in other if (text := _always_warned(module, one)) is not None), None)
        case _:
            return None


def _warned(module: Module, value: ast.expr) -> str | None:
    """Return the text of a call that warns of a deprecation, None if it is none."""
    if not isinstance(value, ast.Call) or "warn" not in _word(value.func):
        return None
    text = _texts(module, value)
    return text if _SAYS.search(text) or "deprecat" in _word(value.func) else None


def _mark(name: str, how: How, text: str) -> Mark:
    return Mark(name, how, tuple(dict.fromkeys(_NAMED.findall(" ".join(text.split())))))


def _texts(module: Module, call: ast.Call) -> str:
    words = [word.value for word in call.keywords if word.arg in {"message", "msg"}]
    return " ".join(_text(module, one) for one in [*call.args, *words])


def _text(module: Module, node: ast.expr) -> str:
    """Return the text of an expression, as far as it is constant."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_text(module, one) for one in values)
        case ast.BinOp(left=left, right=right):
            return _text(module, left) + _text(module, right)
        case ast.Name(id=name) if name in module.constants:
            return _text(module, module.constants[name])
        case ast.Call(func=ast.Attribute(value=value)):
            return _text(module, value)
        case _:
            return ""


def _word(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
