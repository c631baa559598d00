"""A tensor on a GPU, or one that requires grad, that is made an ndarray."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import DEVICE_WORDS, TRAINING_WORDS, Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class NumpyOfDeviceTensor(Rule):
    """Copy a tensor to the CPU before NumPy gets it.

    An ndarray shares the memory of the tensor, which NumPy cannot reach on a GPU: `.numpy()` and `np.mean(t)` raise
    `can't convert cuda:0 device type tensor to numpy`, and only where there is a GPU. Of a tensor that requires grad
    they raise `Can't call numpy() on Tensor that requires grad` everywhere. `t.detach().cpu().numpy()` does both.

    So do `np.mean(losses)` of a list with such tensors in it, and `np.sqrt(total)` of a sum that began as 0.

    Left alone are tensors that are copied or detached on the way, `numpy(force=True)`, tensors of which nobody knows
    where they are, and what is computed under `no_grad` as far as the graph goes.

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("numpy",)
    project_words = (*DEVICE_WORDS, *TRAINING_WORDS)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.conversions import refused_conversions

        for refused in refused_conversions(file.evaluator(torchlint.WITH_CUDA), file):
            message = _message(refused.is_on_device, refused.is_of_list)
            words = _on_the_way(refused.tensor, is_on_device=refused.is_on_device)
            fix = Fix(
                "Bring it to the host first",
                refused.tensor.edits.append(words),
                safe=False,
                doubt="it waits for the GPU, and no gradient flows through it",
            )
            yield self.finding(refused.place, message, fix=None if refused.is_of_list else fix)


def _message(is_on_device: bool, is_of_list: bool) -> str:
    if is_of_list:
        why = "on a GPU" if is_on_device else "with a graph"
        return f"raises where the list holds tensors {why}: put numbers into it, with `.item()`"
    if is_on_device:
        return "raises where the tensor is on a GPU: copy it with `.cpu()` first"
    return "raises, for the tensor requires grad: cut it off with `.detach()` first"


def _on_the_way(tensor: Place, *, is_on_device: bool) -> str:
    """Return what a tensor has to go through before NumPy may have it."""
    if not is_on_device:
        return ".detach()"
    values = [one.value for one in tensor.possibilities()]
    has_graph = torchlint.is_recorded(tensor) and any(
        isinstance(one, torchlint.Tensor) and one.graph is not False for one in values
    )
    return ".detach().cpu()" if has_graph else ".cpu()"
