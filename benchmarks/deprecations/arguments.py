"""The rows of the table in `torchlint/pytorch/removed_arguments.py`: arguments that functions and classes had once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.deprecations.table import Reading, Release

_OF_OTHERS = tuple(f"torch.{name}." for name in "ao.quantization.fx quantization.fx utils.hipify fx.passes hub".split())
"""What is called by PyTorch itself."""
_PUBLIC_ALL_THE_SAME = frozenset({"torch.optim.lr_scheduler._LRScheduler"})
"""What has a private name, and is the base of classes in programs."""


@dataclass(frozen=True, slots=True)
class ArgumentRow:
    """An argument that a function or class had, and has no more."""

    name: str
    argument: str
    gone: Release
    """The first release whose signature is without it."""
    position: int | None
    """Where it was passed, if a call with that many positional arguments raises; None if it does not."""

    def __str__(self) -> str:
        """Return the row as a line of the table."""
        position = "-" if self.position is None else self.position
        return f"{self.name} {self.argument} {self.gone[0]}.{self.gone[1]} {position}"


def argument_rows(readings: Iterable[Reading]) -> Iterator[ArgumentRow]:
    """Yield the arguments that are gone of what the newest release still has, in the order of their names."""
    ordered = sorted(readings, key=lambda one: one.release)
    for name in sorted(ordered[-1].signatures):
        is_public = "._" not in name or name in _PUBLIC_ALL_THE_SAME
        if name.startswith("torch.") and is_public and not name.startswith(_OF_OTHERS):
            yield from _of(ordered, name)


def _of(ordered: list[Reading], name: str) -> Iterator[ArgumentRow]:
    now = ordered[-1].signatures[name]
    if now.takes_all:
        return
    last: dict[str, int] = {}
    for at, one in enumerate(ordered):
        if name in one.signatures:
            last |= dict.fromkeys(one.signatures[name].names, at)
    for argument, at in sorted(last.items()):
        before = ordered[at].signatures[name].positional
        later = [one for one in ordered[at + 1 :] if name in one.signatures]
        if argument in now.names or argument.startswith("_") or not later:
            continue
        position = before.index(argument) if argument in before else len(before)
        taken = max(one.signatures[name].most for one in later)
        is_past = argument in before and position >= taken
        yield ArgumentRow(name, argument, later[0].release, position if is_past else None)
