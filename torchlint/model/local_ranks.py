"""Options for the local rank that the launcher no longer passes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import Call

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile

_SPELLINGS = frozenset({"--local_rank", "--local-rank"})
# These launchers still pass the option, or the program sets the attribute itself.
_PASSING = ("deepspeed", ".local_rank = ", "use_env", "colossalai")
_SHOWING = frozenset({"print", "debug", "info", "warning", "log"})
_DISTRIBUTED = ("init_process_group", "DistributedDataParallel", "FullyShardedDataParallel")


def local_rank_options(file: SourceFile) -> Iterator[Call]:
    """Yield the options for the local rank in a distributed program that never reads `LOCAL_RANK`."""
    library = file.project.library
    if any(library.holding(word) for word in _PASSING) or not any(library.holding(word) for word in _DISTRIBUTED):
        return
    for call, statement in file.index.calls("add_argument"):
        names = {argument.value for argument in call.args if isinstance(argument, ast.Constant)}
        if names & _SPELLINGS and not _is_variable_read(file):
            yield Call(file, call, statement)


def _is_variable_read(file: SourceFile) -> bool:
    """Tell whether the project uses `LOCAL_RANK`, for more than to show it."""
    for path in file.project.library.holding("LOCAL_RANK"):
        other = file.project.parsed(path)
        if other is None or any(_is_used(other, statement) for statement in other.index.home):
            return True
    return False


def _is_used(file: SourceFile, statement: ast.stmt) -> bool:
    parents = file.parents_in(statement)
    for node in parents:
        if isinstance(node, ast.Constant) and node.value == "LOCAL_RANK":
            around: ast.AST | None = node
            while around is not None and not _shows(around):
                around = parents.get(around)
            if around is None:
                return True
    return False


def _shows(node: ast.AST) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in _SHOWING
