"""Features in double precision for weights in single precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

from .converting import converted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DoubleInput(Rule):
    """Convert features to the dtype of the weights.

    NumPy computes in `float64`, and `torch.from_numpy`, `torch.tensor` and a `DataLoader` keep the dtype of an array.
    The weights of a module are `float32`, so its first layer raises `mat1 and mat2 must have the same dtype, but got
    Double and Float`. `.float()` converts the features.

    The same happens to targets: for them `BCELoss` raises `Found dtype Double but expected Float`, and the `backward()`
    of a `HuberLoss` does. Other losses compute in `float64` then.

    Not reported:

    - tensors whose dtype is not known for sure
    - projects that set the default dtype, or convert a module
    - modules that may convert what they are given, and calls in a `try`, or that are expected to raise

    https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("torch",)
    project_words = ("numpy", "float64", "double")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.refused_dtypes import refused_doubles, refused_features

        for found in refused_features(file.evaluator(), file):
            steps = [found.numbers.made.step("made as `float64` here")]
            steps += [found.layer.step("this layer refuses it")] if found.layer is not None else []
            yield self.finding(
                found.call,
                f"{quoted(found.call)} raises, as the input is `float64` and the weights are `float32`;"
                " convert it with `.float()`",
                trace=tuple(steps),
                fix=converted(found.given, ".float()", "Convert the input"),
            )
        for found in refused_doubles(file.evaluator(), file):
            yield self.finding(
                found.call,
                f"{quoted(found.call)} raises, as the targets are `float64` and the input is `float32`;"
                " convert them with `.float()`",
                trace=(found.numbers.made.step("made as `float64` here"),),
                fix=converted(found.given, ".float()", "Convert the targets"),
            )
