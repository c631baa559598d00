"""Options for the local rank that the launcher no longer passes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import may_be_one_program
from torchlint.model.calls import Call
from torchlint.model.worlds import ANYWHERE
from torchlint.syntax.last_names import callee_name, root_of

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.scope import Store

_SPELLINGS = frozenset({"--local_rank", "--local-rank"})
# These launchers still pass the option.
_PASSING = ("deepspeed", "use_env", "colossalai")
_SETTING = ".local_rank = "
# Any read of the option, but not its own name: `args.local_rank`, `vars(args)["local_rank"]`.
_READING = re.compile(r"(?<![\w-])local_rank\b")
# A launcher of the project's own, which is a program by itself.
_LAUNCHING = "--local_rank="
_SHOWING = frozenset({"print", "debug", "info", "warning", "log"})
_PARSING = frozenset({"parse_args", "parse_known_args"})
_DISTRIBUTED = ("init_process_group", "DistributedDataParallel", "FullyShardedDataParallel")


def local_rank_options(file: ParsedFile) -> Iterator[Call]:
    """Yield the options for the local rank in a distributed program that never reads `LOCAL_RANK`."""
    for call, statement in file.index.calls("add_argument"):
        names = {argument.value for argument in call.args if isinstance(argument, ast.Constant)}
        is_of_many = names & _SPELLINGS and _is_said(file, _DISTRIBUTED)
        if is_of_many and _is_read(file, call) and not _has_other_rank(file):
            yield Call(file, call, statement)


def _is_read(file: ParsedFile, option: ast.Call) -> bool:
    """Tell whether the program may read an option: one that is only accepted needs no value."""
    is_renamed = any(keyword.arg == "dest" for keyword in option.keywords)
    return is_renamed or any(_READING.search(other.code) for other in _of_program(file, "local_rank"))


def _has_other_rank(file: ParsedFile) -> bool:
    """Tell whether the program gets its local rank as before, or uses `LOCAL_RANK` for more than to print it."""
    if file.project.library.holding(_LAUNCHING) or _is_said(file, _PASSING):
        return True
    if any(_is_set(other) for other in _of_program(file, _SETTING)):
        return True
    reading = _of_program(file, "LOCAL_RANK")
    return any(_is_used(other, statement) for other in reading for statement in other.index.home)


def _is_set(file: ParsedFile) -> bool:
    """Tell whether a file stores the local rank in an attribute, and does not only copy the option."""
    stores = (store for store in file.index.attribute_stores("local_rank") if not _is_default(file, store))
    return any(not (isinstance(one.value, ast.Attribute) and one.value.attr == "local_rank") for one in stores)


def _is_default(file: ParsedFile, store: Store) -> bool:
    """Tell whether a file stores a constant in a configuration that it makes: `config.dist.local_rank = 0`."""
    root, scope = root_of(store.target), file.index.home[store.statement][0].scope
    if not isinstance(store.value, ast.Constant) or not isinstance(root, ast.Name) or scope.kind != "file":
        return False
    makers = [one.value for one in scope.bindings.get(root.id, ())]
    return bool(makers) and all(isinstance(one, ast.Call) and callee_name(one) not in _PARSING for one in makers)


def _is_said(file: ParsedFile, words: tuple[str, ...]) -> bool:
    """Tell whether the program of a file contains one of some words."""
    return any(True for word in words for _ in _of_program(file, word))


def _of_program(file: ParsedFile, word: str) -> Iterator[ParsedFile]:
    """Yield the files that contain a word and may be of one program with a file."""
    ev = file.project.evaluator(ANYWHERE)
    for path in file.project.library.holding(word):
        other = file.project.parsed(path)
        if other is not None and may_be_one_program(ev, file, other):
            yield other


def _is_used(file: ParsedFile, statement: ast.stmt) -> bool:
    parents = file.parents_in(statement)
    for node in parents:
        if isinstance(node, ast.Constant) and node.value == "LOCAL_RANK":
            around: ast.AST | None = node
            while around is not None and not _shows(around) and not _reads_nothing(around):
                around = parents.get(around)
            if around is None:
                return True
    return False


def _reads_nothing(node: ast.AST) -> bool:
    """Tell whether a variable is only set, or its existence tested: `if "LOCAL_RANK" not in os.environ:`."""
    is_stored = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    return is_stored or (isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)))


def _shows(node: ast.AST) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in _SHOWING
