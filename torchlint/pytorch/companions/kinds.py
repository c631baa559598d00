"""The kinds of rows that are about companions of PyTorch."""

from __future__ import annotations

from dataclasses import dataclass

from torchlint.pytorch.companions.versions import Version


@dataclass(frozen=True, slots=True)
class Takeover:
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


@dataclass(frozen=True, slots=True)
class PassedArgument:
    """An argument that a framework passes to a method of its own since some version, be that overridden."""

    method: str
    name: str
    position: int | None
    """Where it is passed, `self` left out; None where it is passed by its name."""
    since: Version
    callers: tuple[str, ...]
    """The methods of the same class by which it comes to the call."""


@dataclass(frozen=True, slots=True)
class RemovedHook:
    """A method that a framework called, and calls no more since some version, in any subclass."""

    method: str
    since: Version
    instead: str
    """What to do, as a message says it."""
    raises: bool = False
    """Whether it refuses to run an object that has the method."""
