"""Modules and parameters in a plain list or dict, where their owner does not register them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class UnregisteredModule(Rule):
    """Keep the layers of a module in a `ModuleList` or `ModuleDict`.

    A module registers the modules that are assigned to its attributes. It does not see those in a Python list or dict:
    `parameters()` omits them, so the optimizer does not train them; the state dict omits them, so no checkpoint
    contains them; and `.to(device)` leaves them on the CPU, where the next call raises `Expected all tensors to be on
    the same device`. For parameters use a `ParameterList` or `ParameterDict`. Ignore the rule for layers that must not
    be part of the module, such as a frozen teacher.

    Not reported:

    - lists that only become the arguments of a `Sequential` or another container
    - layers that are also assigned to attributes or registered by `add_module`
    - containers whose layers are all registered already
    - tables from which one entry is assigned to an attribute
    - functions and layers without parameters
    - a single module that a list hides on purpose
    - modules that were created somewhere else and passed in

    https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    # A module inherits from `nn.Module`, or its constructor calls that of a base which does.
    words = ("Module", "super(", "__init__(self")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for kind in file.classes():
            for hidden in kind.hidden_modules():
                plain = "dict" if hidden.is_dict else "list"
                container = f"{'Parameter' if hidden.is_parameter else 'Module'}{plain.capitalize()}"
                name = quoted(hidden.place.bound_to[0]) if hidden.place.bound_to else quoted(hidden.place)
                yield self.finding(
                    hidden.place,
                    f"{name} is a plain {plain}, so `parameters()` and `.to()` miss what it holds; "
                    f"use `nn.{container}`",
                    trace=(*hidden.premises, hidden.member.step("added to it here")),
                    fix=_registered(hidden.place, container, is_dict=hidden.is_dict),
                )


def _registered(place: Place, container: str, *, is_dict: bool) -> Fix | None:
    name = place.named(f"torch.nn.{container}")
    if name is None:
        return None
    edits = place.edits.call_instead(name[0]) or place.edits.pass_to(name[0])
    if not edits:
        return None
    doubt = "the keys must be strings, and not the name of a method" if is_dict else ""
    return Fix(f"Use `nn.{container}`", (*name[1], *edits), safe=not is_dict, doubt=doubt)
