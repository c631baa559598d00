"""Whether a `try` handles the exception of a missing CUDA, or of a missing attribute, and goes on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.syntax.exits import expects_to_raise, is_exit, leaves_block, suppresses
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.place import Place

_CATCHES = frozenset({"Exception", "BaseException", "RuntimeError", "AssertionError"})
_TELLING = frozenset("print print_exc print_exception exception critical fatal error warning warn info debug".split())
_GPU = re.compile(r"cuda|gpu", re.IGNORECASE)
_CATCHES_ABSENCE = frozenset({"AttributeError", "Exception", "BaseException"})


def is_caught(place: Place) -> bool:
    """Tell whether an enclosing `try` handles the exception of a missing CUDA, and goes on."""
    return any(not _only_ends(place, attempt, handler) for attempt, handler in _attempts(place))


def _only_ends(place: Place, attempt: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler around the start of a program only reports that it failed: `try: main()`.

    Nothing is tried instead, unless something follows. A `try` that names CUDA finds out whether there is any.
    """
    is_start = isinstance(place.expression, ast.Call) and isinstance(place.expression.func, ast.Name)
    if not is_start or place.scope.kind != "file" or not all(map(_only_tells, handler.body)):
        return False
    if _GPU.search(place.file.code_of(attempt)) is not None:
        return False
    return leaves_block(handler.body, place.file.index) or _ends_program(place, attempt)


def _ends_program(place: Place, attempt: ast.Try) -> bool:
    """Tell whether the file ends with a `try`."""
    outer = list(place.file.index.blocks_around(attempt))
    is_repeated = any(isinstance(block.owner, (ast.For, ast.While)) for block, _ in outer)
    return not is_repeated and all(position == len(block.body) - 1 for block, position in outer)


def _only_tells(statement: ast.stmt) -> bool:
    """Tell whether a statement of a handler prints or logs, or ends the program."""
    match statement:
        case ast.Pass() | ast.Import():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call() as call):
            return callee_name(call) in _TELLING or is_exit(statement)
        case _:
            return False


def catching(place: Place) -> Iterator[ast.ExceptHandler]:
    """Return the handlers at a place of the exception of a missing CUDA that go on; the innermost first."""
    return (handler for _, handler in _attempts(place))


def _attempts(place: Place) -> Iterator[tuple[ast.Try, ast.ExceptHandler]]:
    """Yield the same with the `try` of each."""
    for block, _ in place.file.index.blocks_around(place.statement):
        if isinstance(block.owner, ast.Try) and block.arm == "body":
            yield from ((block.owner, handler) for handler in block.owner.handlers if catches(handler))


def catches(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler catches the exception of a missing CUDA, and goes on."""
    if any(isinstance(statement, ast.Raise) for statement in handler.body):
        return False
    if handler.type is None:
        return True
    nodes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    # A handler of an interrupt saves the results so far, and does not continue elsewhere.
    return not names.isdisjoint(_CATCHES) and "KeyboardInterrupt" not in names


def is_absence_caught(place: Place) -> bool:
    """Tell whether a `try`, or a block that suppresses or expects it, catches an AttributeError."""
    for block, _ in place.file.index.blocks_around(place.statement):
        handlers = block.owner.handlers if isinstance(block.owner, ast.Try) and block.arm == "body" else ()
        if any(map(_catches_absence, handlers)):
            return True
    return is_suppressed(place)


def is_expected(place: Place) -> bool:
    """Tell whether a block around a place expects it to raise: `with pytest.raises(RuntimeError):`."""
    return any(map(expects_to_raise, _withs_around(place)))


def is_tried(place: Place) -> bool:
    """Tell whether the program expects a place to raise, and may run it only for that."""
    return is_caught(place) or is_expected(place)


def is_in_try(place: Place) -> bool:
    """Tell whether a `try` around a place catches whatever that may be, and the program need not end with it."""
    around = (block for block, _ in place.file.index.blocks_around(place.statement) if block.arm == "body")
    return any(isinstance(block.owner, ast.Try) and block.owner.handlers for block in around) or is_expected(place)


def is_suppressed(place: Place) -> bool:
    """Tell whether a block around a place suppresses its exception: `with contextlib.suppress(RuntimeError):`."""
    return any(map(suppresses, _withs_around(place)))


def _withs_around(place: Place) -> Iterator[ast.With | ast.AsyncWith]:
    for block, _ in place.file.index.blocks_around(place.statement):
        if isinstance(block.owner, (ast.With, ast.AsyncWith)):
            yield block.owner


def _catches_absence(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(one, ast.Name) and one.id in _CATCHES_ABSENCE for one in names)
