"""The kinds of rows that are about companions of PyTorch, and about PyTorch as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torchlint.pytorch.requirements import Version
from torchlint.pytorch.roles import Role

# Rows are named tuples, which are made in a fifth of the time that a dataclass takes, at every start.
_NONE: Mapping[Any, Any] = {}


class Takeover(NamedTuple):
    """Calls that take a module over, after which their result has to run the backward pass: `engine.backward(loss)`.

    Their `backward()` takes the loss first, and the keyword arguments of a tensor's own.
    """

    names: frozenset[str]
    """The functions and methods that give the module back, by their full names."""
    source: str
    """The version that was read."""
    effect: str
    """What a message says that a tensor's own `backward()` does instead."""
    position: int | None = None
    """Where the module is in the tuple that the call returns; None where each argument comes back in its place."""
    is_module: bool = False
    """Whether the module that comes back is who goes back; else the object whose method the call is."""
    hooks_since: Version | None = None
    """Since which version hooks do most of it where a tensor's own `backward()` is called, None where none do."""


class PassedArgument(NamedTuple):
    """An argument that a framework passes to a method of its own since some version, be that overridden."""

    method: str
    name: str
    position: int | None
    """Where it is passed, `self` left out; None where it is passed by its name."""
    since: Version
    callers: tuple[str, ...]
    """The methods of the same class by which it comes to the call."""


class RemovedHook(NamedTuple):
    """A method that a framework called, and calls no more since some version, in any subclass."""

    method: str
    since: Version
    instead: str
    """What to do, as a message says it."""
    raises: bool = False
    """Whether it refuses to run an object that has the method."""


class Wrapper(NamedTuple):
    """A class, or a function, that returns another module for its argument, a module."""

    name: str
    source: str
    """The version that was read."""
    prefix: str
    """Its prefix in the keys of the state dict; empty if they are the module's own."""
    attribute: str
    """The attribute that holds the module."""
    holds_shards: bool = False
    """Whether the module inside has only a part of its parameters."""
    divides_data: bool = False
    """Whether there is one for each process, all of which should train on different data."""


class HostArgument(NamedTuple):
    """An argument that has to be on the host, of a function or of a method of an object of a class."""

    names: frozenset[str]
    source: str
    keyword: str = ""
    """The name of the parameter; empty for all arguments."""
    position: int = 0


def host_argument(names: str, source: str, keyword: str = "", position: int = 0) -> HostArgument:
    """Return a row of names with spaces between them."""
    return HostArgument(frozenset(names.split()), source, keyword, position)


class ArrayArguments(NamedTuple):
    """Functions that make ndarrays of their first arguments: of a tensor, and of each item of a list."""

    names: frozenset[str]
    taken: int
    """How many of the first arguments, or of `keywords`."""
    keywords: tuple[str, ...] = ()
    """The names of parameters, whichever of the functions has them."""


def array_arguments(prefix: str, names: str, taken: int, keywords: str = "") -> ArrayArguments:
    """Return a row of names with spaces between them, all of which begin alike."""
    return ArrayArguments(frozenset(f"{prefix}{name}" for name in names.split()), taken, tuple(keywords.split()))


class CudaLibrary(NamedTuple):
    """A part of another package with kernels for CUDA: a call or decorator by name, or a keyword that requests them."""

    names: str = ""
    """A function or class, or everything in a package if it ends with a dot."""
    keyword: str = ""
    value: bool | str = True
    source: str = ""


@dataclass(frozen=True, slots=True)
class Removal:
    """The release in which a name raises, and what to use instead."""

    release: tuple[int, int]
    """The first release that is known to lack it, of the package that the name begins with."""
    instead: str
    """What to use, as text for a message."""
    since: tuple[int, int] = (0, 1)
    """The torch that was the first to have that."""
    same: str = ""
    """An expression that means the same, empty if there is none."""
    parts: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The replacement of each name of a module that was removed."""
    is_called: bool = False
    """It still exists, and raises where it is called."""


def renamed(release: tuple[int, int], full: str, since: tuple[int, int] = (0, 1)) -> Removal:
    """Return the removal of a name that was renamed."""
    return Removal(release, f"`{full}`", since, same=full)


class Replacement(NamedTuple):
    """What to use in place of a name that is deprecated."""

    instead: str
    """The text for a message."""
    since: tuple[int, int]
    """The torch that was the first to have it."""
    same: str = ""
    """The full name of what takes the same arguments and does the same, empty if there is none."""


def replaced(full: str, since: tuple[int, int]) -> Replacement:
    """Return the replacement of a name that has another one."""
    return Replacement(f"`{full}`", since, full)


class Companion(NamedTuple):
    """All that a library is to the model; what only some rules ask of it is beside it, by name."""

    name: str
    """The package, as it is imported."""
    source: str
    """The version that was read."""
    classes: Mapping[Role, str] = _NONE
    """The names of classes for each role, with spaces between them, whichever of its modules they are in.

    Classes that only wrap another optimizer, or need a closure or steps of their own, are left out.
    """
    aliases: Mapping[str, str] = _NONE
    """Full names of what is something of PyTorch, or of the library itself by another name."""
    modules: frozenset[str] = frozenset()
    """The full names of classes of modules, from which those of programs inherit."""
    module_spaces: tuple[str, ...] = ()
    """Prefixes of the names of modules."""
    module_makers: tuple[str, ...] = ()
    """Prefixes of the names of functions that return a module."""
    models: str = ""
    """A regular expression for the full names of functions whose modules surely have weights, on the host unless
    `PLACING` arguments say otherwise."""
    passing: frozenset[str] = frozenset()
    """Functions that return their first argument, or what iterates over it."""
    wrappers: tuple[Wrapper, ...] = ()
    takeovers: tuple[Takeover, ...] = ()
    registries: Mapping[str, str] = _NONE
    """By the full name of a registry, the method that is its decorator."""
    host_arguments: tuple[HostArgument, ...] = ()
    host_package: bool = False
    """Whether all that is in it takes its arguments on the host."""
    arrays: tuple[ArrayArguments, ...] = ()
    numbers: frozenset[str] = frozenset()
    """Functions that return one number, whatever they are passed."""
    environments: Mapping[str, str] = _NONE
    """Functions that make an environment, and the class that says what its methods take."""
    cuda: tuple[CudaLibrary, ...] = ()
    needs_gpu: bool = False
    """Whether it is made of kernels for CUDA alone, so that code that imports it is for GPUs."""
    comparing_versions: frozenset[str] = frozenset()
    """Functions that compare torch's version: `is_torch_version(">=", "2.4")`."""
    removed: Mapping[str, Removal] = _NONE
    deprecated: Mapping[str, Replacement] = _NONE
