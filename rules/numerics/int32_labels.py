"""Labels of classes that a loss refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

from .converting import converted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class Int32Labels(Rule):
    """Pass labels of classes as `int64`.

    `cross_entropy` and `nll_loss` take labels of classes as `int64`, or as `uint8`. NumPy arrays are often `int32`, to
    save memory, and `torch.from_numpy`, `torch.tensor` and a `DataLoader` keep the dtype: the loss raises `expected
    target dtype to be Long or Byte, but got Int`. `.long()` converts the labels.

    Not reported:

    - labels whose dtype is not known for sure
    - calls in a `try`, or that are expected to raise

    https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("loss", "Loss", "entropy", "Entropy", "crit")
    project_words = ("int32", "int16", "int8", ".int()", ".short()", ".char()", "IntTensor")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.refused_dtypes import refused_labels

        for found in refused_labels(file.evaluator(), file):
            dtype = found.numbers.dtype
            yield self.finding(
                found.call,
                f"{quoted(found.call)} raises, as labels of classes have to be `int64` and these are `{dtype}`;"
                " convert them with `.long()`",
                trace=(found.numbers.made.step(f"made as `{dtype}` here"),),
                fix=converted(found.given, ".long()", "Convert the labels"),
            )
