"""Arguments that PyTorch and torchvision still take, and warn of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.deprecated_arguments import DeprecatedArgument as Found


class DeprecatedArgument(Rule):
    """Pass losses `reduction`, torchvision models `weights`, and scalars by keyword.

    `size_average` and `reduce` of the losses of PyTorch are deprecated since 0.4.1: each call warns, and if `reduction`
    is passed too, it is ignored. `pretrained` and `pretrained_backbone` of the models of torchvision are deprecated
    since 0.13, warn twice, and may be removed; so does `True` or `False` as the first argument. `True` stands for the
    first weights that were published, although better ones may exist. `elementwise_mean` is the name that the reduction
    `mean` had in PyTorch 0.4.1. The overloads of `addmm`, `addcmul`, `add` and their kind that take `beta`, `alpha` and
    `value` before or between the tensors warn since 1.5: these are keywords now.

    The rule is off by default: nothing breaks yet.

    Not reported:

    - losses and models of other packages with such arguments
    - arguments that may be `None`, which does not warn
    - code behind a test of the version
    - calls whose number of arguments is not that of such an overload
    - `pretrained` if `target-torch` is older than the torch of torchvision 0.13

    https://docs.pytorch.org/docs/stable/generated/torch.nn.MSELoss.html,
    https://docs.pytorch.org/vision/stable/models.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    default = False
    words = ("size_average", "reduce", "pretrained", "Loss", "_loss", "cross_entropy", "torchvision", "add", "sub")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.deprecated_arguments import deprecated_arguments

        for one in deprecated_arguments(file.evaluator(), file):
            yield self.finding(
                one,
                f"{_written(one)} is deprecated since {one.since} and warns; pass {one.instead}",
                fix=Fix("Pass the replacement", one.edits, safe=True) if one.edits else None,
            )


def _written(one: Found) -> str:
    """Return the argument as it is passed, with its keyword if it has one."""
    names = (name for name, value in one.call.keywords.items() if value.expression is one.value.expression)
    name = next(names, None)
    if name is None and not one.name:
        return f"the argument {quoted(one.value)}"
    return quoted(f"{name or one.name}={one.value.code}")
