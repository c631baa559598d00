"""Random programs are run, and the value that a name really had must be among those that the model says reach."""

from __future__ import annotations

import ast
from contextlib import suppress
from itertools import count
from random import Random
from textwrap import indent
from typing import TypeAlias

import pytest

from torchlint.syntax.index import Index, build_index
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.reaching_definitions import at_end, reaching
from torchlint.syntax.scope import Binding

_PROGRAMS, _RUNS = 200, 8
_MOST_TICKS = 60
# What a loop, a context or a pattern binds comes from no `new`.
NO_NUMBER = -1
Uses: TypeAlias = "list[tuple[int, int | None]]"

# `{}` is a block, `{loop}` one whose jumps may be a loop's, `{final}` one without a jump out of it.
_COMPOUND = [
    "if ask():\n{}",
    "if ask():\n{}\nelse:\n{}",
    "if ask():\n{}\nelif ask():\n{}\nelse:\n{}",
    "while ask():\n{loop}",
    "while ask():\n{loop}\nelse:\n{}",
    "while True:\n    tick()\n{loop}\n    if ask(): break",
    "for _ in few():\n{loop}",
    "for _ in few():\n{loop}\nelse:\n{}",
    "for x in few():\n{loop}\nelse:\n{}",
    "with room():\n{}",
    "with suppress(OopsError):\n{}",
    "with room() as x:\n{}",
    "match few():\n    case [x]:\n    {}\n    case _:\n    {}",
    "match few():\n    case [_, *x]:\n    {}\n    case []:\n    {}",
    "try:\n{}\nexcept OopsError:\n{}",
    "try:\n{}\nexcept OopsError:\n{}\nelse:\n{}",
    "try:\n{}\nexcept OopsError:\n{}\nelse:\n{}\nfinally:\n{final}",
    "try:\n{}\nfinally:\n{final}",
]
_SIMPLE = ["x = new()", "x = new()", "use(x)", "use(x)", "perhaps()", "print(x := new())"]


def program(chance: Random) -> str:
    """Return the body of a function that binds and uses `x` in all kinds of statements."""
    return "\n".join(["x = new()", *(_statement(chance, 3, ["return"]) for _ in range(3)), "use(x)"])


def _statement(chance: Random, depth: int, jumps: list[str]) -> str:
    if depth == 0 or chance.random() < 0.3:
        if jumps and chance.random() < 0.25:
            return f"if ask():\n    x = new()\n    {chance.choice([*jumps, 'raise OopsError'])}"
        return chance.choice(_SIMPLE)
    text = chance.choice(_COMPOUND)
    inner = {"{}": jumps, "{loop}": ["continue", "break", "return"] if jumps else ["continue", "break"], "{final}": []}
    for hole in ("{}", "{loop}", "{final}"):
        while hole in text:
            text = _filled(
                text, hole, [_statement(chance, depth - 1, inner[hole]) for _ in range(chance.randint(1, 2))]
            )
    return text


def _filled(text: str, hole: str, statements: list[str]) -> str:
    margin = " " * (len(text.partition(hole)[0].rpartition("\n")[2]) + 4)
    lines = "\n".join(statements).split("\n")
    return text.replace(hole, "\n".join([f"    {lines[0]}", *(margin + line for line in lines[1:])]), 1)


class OopsError(Exception):
    """What goes wrong in the programs."""


class TooLong(BaseException):
    """The program has been watched long enough."""


class Room:
    """A context that does nothing; its value is that of no assignment."""

    def __enter__(self) -> int:
        return NO_NUMBER

    def __exit__(self, *_: object) -> None:
        return None


class Suppressing(Room):
    """A context that swallows what the programs raise."""

    def __init__(self, _: type[OopsError]) -> None:
        super().__init__()

    def __exit__(self, *exception: object) -> bool:  # type: ignore[override]
        return isinstance(exception[1], OopsError)


def run(tree: ast.Module, chance: Random) -> Uses:
    """Run a program; return each use's number with the number of the assignment whose value it saw."""
    seen: Uses = []
    ticks = count()

    def tick() -> None:
        if next(ticks) > _MOST_TICKS:
            raise TooLong

    def ask() -> bool:
        tick()
        return chance.random() < 0.4

    def perhaps() -> None:
        if ask():
            raise OopsError

    def use(number: int, value: object) -> None:
        seen.append((number, value if isinstance(value, int) else NO_NUMBER))
        perhaps()

    def new(number: int) -> int:
        perhaps()
        return number

    def few() -> list[int]:
        return [NO_NUMBER, NO_NUMBER][: ask() + ask()]

    names: dict[str, object] = {
        "ask": ask, "tick": tick, "perhaps": perhaps, "use": use, "new": new, "few": few, "room": Room,
        "suppress": Suppressing, "OopsError": OopsError, "print": bool,
    }  # fmt: skip
    exec(compile(tree, "program", "exec"), names)
    program = names["program"]
    assert callable(program)
    with suppress(OopsError, UnboundLocalError, TooLong):
        program()
    return seen


def numbered(code: str) -> tuple[ast.Module, Index, dict[int, ast.stmt]]:
    """Parse a program, and pass each `new` and `use` a number of its own; return the uses by their numbers."""
    tree = ast.parse(f"def program():\n{indent(code, '    ')}\n")
    index = build_index(tree)
    uses: dict[int, ast.stmt] = {}
    for number, (call, statement) in enumerate([*index.calls("new"), *index.calls("use")]):
        call.args = [ast.copy_location(ast.Constant(number), call), *call.args]
        if callee_name(call) == "use":
            uses[number] = statement
    return tree, index, uses


def numbers_reaching(index: Index, statement: ast.stmt) -> set[int]:
    """Return the numbers of the assignments that the model says may hold at a statement."""
    found = reaching(index, index.scopes[-1].bindings["x"], statement, lambda *_: None)
    return {_number(one) for one in found.definitions}


def _number(one: Binding) -> int:
    match one.kind, one.value:
        case "assign", ast.Call(args=[ast.Constant(value=int(number))]):
            return number
        case _:
            return NO_NUMBER


@pytest.mark.parametrize("batch", range(4))
def test_the_binding_that_held_is_among_those_that_reach(batch: int) -> None:
    for seed in range(batch * _PROGRAMS, (batch + 1) * _PROGRAMS):
        code = program(Random(seed))
        tree, index, uses = numbered(code)

        seen = {one for chance in range(_RUNS) for one in run(tree, Random(chance))}

        for number, value in sorted(seen):
            assert value in numbers_reaching(index, uses[number]), f"use {number} saw {value} in\n{ast.unparse(tree)}"


def test_at_the_end_of_a_function_its_variable_is_bound() -> None:
    for seed in range(_PROGRAMS):
        _, index, _ = numbered(program(Random(seed)))

        assert not at_end(index, index.scopes[-1], "x", lambda *_: None).open
