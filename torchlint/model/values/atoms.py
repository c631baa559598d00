"""Values that are made of no others: constants, numbers, devices, tensors, and what is named in other packages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing is known; rules of high confidence do not report it."""

    is_cut: bool = False
    """Whether it represents possibilities beyond a limit: that says nothing of the rest."""
    truth: bool | None = None
    """Whether it is true, if only that is known: `x` is false if `x and y` is `x`."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant of Python, known exactly."""

    value: str | bytes | int | float | complex | bool | None


@dataclass(frozen=True, slots=True)
class Text:
    """A string of which only the beginning is known: `cuda:` of `f"cuda:{rank}"`."""

    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """A number, truth value or shape on the host."""

    truth: bool | None = None
    """Whether it is true, if that is known."""


@dataclass(frozen=True, slots=True)
class Array:
    """An ndarray."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device; `kind` is empty if it is chosen at run time, `index` None if it has none.

    On a machine with several GPUs a bare `cuda` is the current one, and `f"cuda:{rank}"` is any: its index is
    `SOME_INDEX` there, which is that of no device.
    """

    kind: str = ""
    index: int | None = None


SOME_INDEX = -1
HOST = Device("cpu")


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor; `device` is None if its device is unknown, `graph` if it is unknown whether it carries one."""

    device: Device | None = None
    graph: bool | None = None
    """Whether `backward()` could start from it: it keeps the graph it was computed by."""


@dataclass(frozen=True, slots=True)
class Built:
    """An object of an imported class: a layer, a wrapper, a loader; its origin is the call that made it."""

    name: str
    """The class: `torch.optim.SGD`."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Something of a package outside the project, by its full name: `torch.nn.Linear`."""

    name: str
