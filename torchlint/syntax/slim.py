"""Trees in a third of the memory: nodes that hold what the parser's hold, without a dict each.

CPython gives every node a dict with room for thirty attributes, half a kilobyte for a name. The classes made here are
those of `ast` with slots in its place: `isinstance` and `match` make no difference. They and the functions that convert
nodes are generated from the grammar, as those of `walk` are. The conversion visits all nodes, and passes those that are
looked up to `keep`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TypeAlias, TypeVar, cast

from torchlint.syntax.grammar import Field, fields_of, node_kinds

Keep: TypeAlias = "Callable[[ast.AST], None]"
Slim: TypeAlias = "Callable[..., ast.AST]"
_Node = TypeVar("_Node", bound=ast.AST)
_Entry = TypeVar("_Entry")

# Never read, or nearly always None: a rare value is put beside the slots, and all others are the class's own None.
_RARE = frozenset({"type_comment", "kind"})
# These are not evaluated as expressions of their statement.
_BESIDE = frozenset({"annotation", "returns", "optional_vars", "pattern", "type_params"})
_WITH_BESIDE = frozenset({"withitem", "match_case"})
_PLACELESS = frozenset({"arguments", "comprehension", "withitem", "match_case"})
_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_LINES = list(range(4_096))


@cache
def slim_kinds() -> dict[type[ast.AST], type[ast.AST]]:
    """Return, for each node type of `ast` that is common in trees, the one with slots."""
    return {kind: _slim_kind(kind) for kind in node_kinds() if kind._attributes or kind.__name__ in _PLACELESS}


def both(kinds: Iterable[type[ast.AST]]) -> frozenset[type[ast.AST]]:
    """Return node types together with those of their nodes in slim trees."""
    given = frozenset(kinds)
    return given | {slim_kinds()[kind] for kind in given if kind in slim_kinds()}


def for_both(table: Mapping[type[_Node], _Entry]) -> dict[type[_Node], _Entry]:
    """Return a table by node types with the same entries for their nodes in slim trees."""
    slim = cast("Mapping[type[_Node], type[_Node]]", slim_kinds())
    return {**table, **{slim[kind]: entry for kind, entry in table.items() if kind in slim}}


def _slim_kind(kind: type[ast.AST]) -> type[ast.AST]:
    slots = [field for field in kind._fields if field not in _RARE] + [one for one in _PLACE if one in kind._attributes]
    # The initializer of `ast` looks its fields up, even without arguments.
    return type(kind.__name__, (kind,), {"__slots__": tuple(slots), "__init__": object.__init__})


def make_room(lines: int) -> None:
    """Make a number for each line of a file, so that all nodes of all files share one."""
    if lines >= len(_LINES):
        _LINES.extend(range(len(_LINES), lines + 1))


@cache
def slimming(kept: frozenset[type[ast.AST]]) -> dict[type[ast.AST], Slim]:
    """Return, for each node type, the function that makes a slim node and passes those of some types to `keep`.

    Those of statements take a second `keep`, for what is no expression of the statement itself: annotations, patterns,
    names that `with` binds. The blocks of a statement are left as they are, to be visited separately.
    """
    slim: dict[type[ast.AST], Slim] = {}
    namespace: dict[str, object] = {"lines": _LINES, "nothing": [], "slim": slim}
    namespace |= {f"Slim{kind.__name__}": made for kind, made in slim_kinds().items()}
    # The source is generated below, from CPython's own grammar.
    exec("\n".join(_source(kind, is_kept=kind in kept) for kind in slim_kinds()), namespace)  # noqa: S102
    slim |= {kind: cast("Slim", namespace[f"slim_{kind.__name__}"]) for kind in slim_kinds()}
    return slim


def _source(kind: type[ast.AST], *, is_kept: bool) -> str:
    has_beside = issubclass(kind, ast.stmt) or kind.__name__ in _WITH_BESIDE
    lines = [f"def slim_{kind.__name__}(node, keep{', beside' if has_beside else ''}):"]
    lines.append(f" made = Slim{kind.__name__}()")
    if is_kept:
        lines.append(" keep(made)")
    nodes = {field.name: field for field in fields_of(kind)}
    for name in kind._fields:
        if name in _RARE:
            lines.append(f" if node.{name} is not None: made.{name} = node.{name}")
        elif name in nodes and nodes[name].kind != "stmt":
            lines += _child_source(nodes[name], "beside" if has_beside and name in _BESIDE else "keep")
        else:
            lines.append(f" made.{name} = node.{name}")
    for name in _PLACE if kind._attributes else ():
        lines.append(f" made.{name} = lines[node.{name}]" if "lineno" in name else f" made.{name} = node.{name}")
    return "\n".join([*lines, " return made"])


def _child_source(field: Field, keep: str) -> list[str]:
    """Return the lines that make slim nodes of a field; its list is kept, with others in it."""
    more = ", beside" if field.kind in _WITH_BESIDE else ""
    turned = f"slim[type(child)](child, {keep}{more})"
    match field.many:
        case "":
            return [f" child = node.{field.name}", f" made.{field.name} = {turned}"]
        case "?":
            return [f" child = node.{field.name}", f" made.{field.name} = None if child is None else {turned}"]
        case _:
            return [
                f" many = node.{field.name}",
                " if many:",
                "  for at, child in enumerate(many):",
                f"   {'if child is not None: ' if field.has_holes else ''}many[at] = {turned}",
                f"  made.{field.name} = many",
                f" else: made.{field.name} = nothing",
            ]
