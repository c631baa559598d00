"""Modules and parameters in a plain list or dict, where their owner does not see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class UnregisteredModule(Rule):
    """Keep the layers of a module in a `ModuleList` or `ModuleDict`.

    A module finds its parts when they are assigned to it. What lies in a list or dict of Python it does not see:
    `parameters()` leaves it out, so that no optimizer trains it; the state dict leaves it out, so that no checkpoint
    holds it; and `.to(device)` leaves it on the CPU, where the next call fails with `Expected all tensors to be on the
    same device`. Parameters go into a `ParameterList` or `ParameterDict`.

    Left alone are lists that only become the arguments of a `Sequential` or another container, layers that are
    assigned to attributes of their own as well or registered by `add_module`, tables of which one is picked and
    assigned to such an attribute, functions and layers without parameters, a single module that a list hides on
    purpose, and modules that were made somewhere else and handed in.
    Ignore it for layers that must be no part of the module, such as a frozen teacher.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("Module",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for kind in file.classes():
            for hidden in kind.hidden_modules():
                plain = "dict" if hidden.is_dict else "list"
                container = f"{'Parameter' if hidden.is_parameter else 'Module'}{plain.capitalize()}"
                yield self.finding(
                    hidden.place,
                    f"hides its modules from `parameters()` and `.to()` in a plain {plain}: use `nn.{container}`",
                    trace=(hidden.member.step("put into it here"),),
                    fix=_registered(hidden.place, container, is_dict=hidden.is_dict),
                )


def _registered(place: Place, container: str, *, is_dict: bool) -> Fix | None:
    name = place.named(f"torch.nn.{container}")
    if name is None:
        return None
    edits = place.edits.call_instead(name[0]) or (place.edits.before(f"{name[0]}("), place.edits.after(")"))
    doubt = "its keys must be strings, and none the name of a method" if is_dict else ""
    return Fix("Register what is in it", (*name[1], *edits), safe=not is_dict, doubt=doubt)
