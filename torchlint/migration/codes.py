"""What TorchFix 0.7.0 and SonarSource report of PyTorch code, and which rule does here.

docs/comparison.md shows this table, and `torchlint migrate` applies it. Both versions were read and run in November
2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_TORCHFIX = "TOR"


@dataclass(frozen=True, slots=True)
class Code:
    """A code of another linter: what it is about, the rules that report that here, and all of it in words.

    Those of `rules` are its counterparts: who ignores the code ignores them. Those of `also` report some of it.
    """

    name: str
    about: str
    here: str
    rules: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def every_rule(self) -> tuple[str, ...]:
        """Return all rules that report any of it."""
        return (*self.rules, *self.also)

    @property
    def is_replaced(self) -> bool:
        """Tell whether its rules take its place: TorchFix is archived, and SonarQube still reads its own codes."""
        return self.name.startswith(_TORCHFIX) and bool(self.every_rule)


_ROWS = (
    Code("TOR001", "a removed function", "`removed-symbol`", ("removed-symbol",)),
    Code("TOR002", "`require_grad`", "`require-grad-typo`", ("require-grad-typo",)),
    Code("TOR003", "a checkpoint without `use_reentrant`", "`reentrant-checkpoint`", ("reentrant-checkpoint",)),
    Code(
        "TOR004",
        "the import of a removed function",
        "`removed-symbol`: the import if that fails, else where the function is called",
        also=("removed-symbol",),
    ),
    Code(
        "TOR101",
        "a deprecated function",
        "`deprecated-symbol`, `legacy-amp`; `removed-symbol` if a release already lacks it",
        ("deprecated-symbol", "legacy-amp"),
        also=("removed-symbol",),
    ),
    Code(
        "TOR102",
        "`torch.load` without `weights_only`",
        "`unsafe-load`, where the default of the project's torch is unsafe",
        ("unsafe-load",),
    ),
    Code(
        "TOR103",
        "the import of a deprecated function",
        "`deprecated-symbol`, where it is called: the import does not warn",
        also=("deprecated-symbol",),
    ),
    Code(
        "TOR104",
        "`default_collate` from a private module",
        "not covered: it is the public function, and nothing breaks",
    ),
    Code("TOR105", "its import", "not covered: as TOR104"),
    Code("TOR106", "`log(1 + x)`", "not covered: whether it is precise enough depends on the values"),
    Code("TOR107", "`exp(x) - 1`", "not covered: as TOR106"),
    Code("TOR108", "`log(sum(exp(x)))`", "not covered: as TOR106"),
    Code("TOR201", "`pretrained`, by name and by position", "`deprecated-argument`", ("deprecated-argument",)),
    Code("TOR202", "`v2.ToTensor`", "`deprecated-symbol`, where it is called", also=("deprecated-symbol",)),
    Code("TOR203", "`import torchvision.models as models`", "not covered: style"),
    Code("TOR401", "a loader without workers", "not covered: whether workers are faster depends on the data set"),
    Code(
        "TOR402",
        "`zero_grad(set_to_none=False)`",
        "not covered: someone wrote it on purpose, and it costs little",
    ),
    Code("TOR901", "`Library` in tests of PyTorch", "not covered: it is about PyTorch's own tests"),
    Code("S1244", "equality of floats", "not covered: a rule about Python, which pylint and ruff have"),
    Code(
        "S6929",
        "a reduction without `dim`",
        "not covered: without it, all elements are reduced, as documented",
    ),
    Code("S6973", "hyperparameters left to their defaults", "not covered: the defaults are documented"),
    Code("S6978", "a module that is not initialized", "`missing-super-init`", ("missing-super-init",)),
    Code(
        "S6979",
        "`Variable`",
        "`legacy-variable`, where `volatile` has lost its effect; otherwise it returns the tensor",
        ("legacy-variable",),
    ),
    Code(
        "S6982",
        "a state loaded without `train()` or `eval()`",
        "`evaluation-without-eval`, where the module is evaluated",
        also=("evaluation-without-eval",),
    ),
    Code("S6983", "a loader without `num_workers`", "not covered: as TOR401"),
    Code(
        "S6984",
        "an invalid pattern of einops",
        "not covered: it raises with a clear message at the first call",
    ),
    Code(
        "S6985",
        "`torch.load` of any pickle",
        "`unsafe-load`, where the default of the project's torch is unsafe",
        ("unsafe-load",),
    ),
)
CODES: Mapping[str, Code] = {row.name: row for row in _ROWS}
