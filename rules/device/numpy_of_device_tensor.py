"""A tensor that is converted to an ndarray on a GPU, while it requires grad, or in a dtype that NumPy has not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile

    from .detectors.conversions import RefusedConversion


class NumpyOfDeviceTensor(Rule):
    """Copy a tensor to the CPU before you convert it to NumPy.

    An ndarray shares the memory of the tensor, and NumPy cannot access memory on a GPU: `.numpy()` and `np.mean(t)`
    raise `can't convert cuda:0 device type tensor to numpy`, but only on a machine with a GPU. For a tensor that
    requires grad they raise `Can't call numpy() on Tensor that requires grad` everywhere. `t.detach().cpu().numpy()`
    works for both.

    NumPy has no `bfloat16`: a tensor of that dtype raises `Got unsupported ScalarType BFloat16` wherever it is, and
    `.float()` converts it first.

    `np.mean(losses)` raises for a list that holds such tensors, and so does `np.sqrt(total)` for a sum that starts at
    0. `plt.plot(losses)` of Matplotlib, the metrics of scikit-learn and the correlations of SciPy convert their
    arguments, too.

    In a method of a module that no code in the project moves to a GPU, the finding is a warning.

    Not reported:

    - tensors that are copied or detached before, and `numpy(force=True)`
    - tensors whose device and dtype are unknown
    - tensors computed under `no_grad`, as far as the graph is concerned

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("numpy", "matplotlib", "scipy", "sklearn")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.conversions import refused_conversions

        for refused in refused_conversions(file.evaluator(torchlint.WITH_CUDA), file):
            if refused.dtype is not None:
                yield self._of_dtype(refused, refused.dtype.dtype, refused.dtype.made)
                continue
            message = _message(refused.is_on_device, refused.is_of_list)
            words = _on_the_way(refused.tensor, is_on_device=refused.is_on_device)
            fix = Fix(
                "Copy it to the CPU first" if refused.is_on_device else "Detach it first",
                refused.tensor.edits.append(words),
                safe=False,
                doubt="it waits for the GPU, and gradients do not flow through it",
            )
            message = f"{quoted(refused.place)} {message}"
            trace = refused.owner
            yield self.finding(refused.place, message, trace=trace, fix=None if refused.is_of_list else fix)

    def _of_dtype(self, refused: RefusedConversion, dtype: str, made: Place) -> Finding:
        message = f"{quoted(refused.place)} raises, as NumPy has no `{dtype}`; call `.float()` first"
        fix = Fix("Convert it first", refused.tensor.edits.append(".float()"), safe=True)
        return self.finding(refused.place, message, trace=(made.step(f"made as `{dtype}` here"),), fix=fix)


def _message(is_on_device: bool, is_of_list: bool) -> str:
    if is_of_list:
        why = "on the GPU" if is_on_device else "with a graph"
        return f"raises for a list with tensors {why}; collect numbers instead, with `.item()`"
    if is_on_device:
        return "raises for a tensor on the GPU; call `.cpu()` first"
    return "raises for a tensor that requires grad; call `.detach()` first"


def _on_the_way(tensor: Place, *, is_on_device: bool) -> str:
    """Return the calls that a tensor needs before NumPy can read it."""
    if not is_on_device:
        return ".detach()"
    values = [one.value for one in tensor.possibilities()]
    has_graph = torchlint.is_recorded(tensor) and any(
        isinstance(one, torchlint.Tensor) and one.graph is not False for one in values
    )
    return ".detach().cpu()" if has_graph else ".cpu()"
