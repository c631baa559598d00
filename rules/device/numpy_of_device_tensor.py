"""A tensor on a GPU, or one that requires grad, that is made an ndarray."""

from __future__ import annotations

from collections.abc import Iterator

from torchlint import Confidence, Finding, Rule, Severity, SourceFile


class NumpyOfDeviceTensor(Rule):
    """Copy a tensor to the CPU before NumPy gets it.

    An ndarray shares the memory of the tensor, which NumPy cannot reach on a GPU: `.numpy()` and `np.mean(t)` raise
    `can't convert cuda:0 device type tensor to numpy`, and only where there is a GPU. Of a tensor that requires grad
    they raise `Can't call numpy() on Tensor that requires grad` everywhere. `t.detach().cpu().numpy()` does both.

    Left alone are tensors that are copied or detached on the way, `numpy(force=True)`, tensors of which nobody knows
    where they are, and what is computed under `no_grad` as far as the graph goes.

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("numpy",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for refused in file.refused_conversions():
            if refused.is_on_device:
                message = "raises where the tensor is on a GPU: copy it with `.cpu()` first"
            else:
                message = "raises, for the tensor requires grad: cut it off with `.detach()` first"
            yield self.finding(refused.place, message)
