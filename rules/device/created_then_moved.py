"""A tensor that is made on the CPU for the GPU, step after step."""

from __future__ import annotations

from collections.abc import Iterator

from torchlint import Call, Confidence, Device, Finding, Fix, Literal, Rule, Severity, SourceFile, Text


class CreatedThenMoved(Rule):
    """Make a tensor on the device where it is needed, with `device=`.

    `torch.zeros(n).to(device)` makes the tensor in the memory of the CPU, copies it over the bus and waits for that;
    `torch.zeros(n, device=device)` makes it there, and nobody waits. Once, that is nothing, and is left alone; in a
    module's `forward` and in a training loop it is paid with every step.

    Left alone as well are random tensors, for the CPU's numbers may be wanted, which are the same on every machine,
    tensors in pinned memory, changes of type, and `torch.tensor(…)`, which brings its numbers from the CPU anyway.

    https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (".to(", ".cuda(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for created in file.created_then_moved():
            yield self.finding(
                created.call,
                "is made on the CPU and copied on every step: pass `device=` and make it on the device",
                trace=created.story,
                fix=_made_there(created.made, created.call),
            )


def _made_there(made: Call, moved: Call) -> Fix | None:
    """`torch.zeros(3).to(device)` → `torch.zeros(3, device=device)`."""
    device = _device_of(moved)
    edit = made.edits.last_argument(f"device={device}") if device else None
    if edit is None or moved.owner is None:
        return None
    # Random numbers come out otherwise on another device.
    is_random = made.method.startswith(("rand", "normal", "bernoulli", "multinomial", "poisson"))
    return Fix("Make it on the device", (edit, moved.owner.edits.end_with(moved)), safe=not is_random)


def _device_of(moved: Call) -> str:
    """Return what a move is given where that is a device and nothing else, or nothing."""
    if moved.is_open or moved.keywords or len(moved.arguments) != 1 or moved.method != "to":
        return ""
    (argument,) = moved.arguments
    values = [one.value for one in argument.possibilities()]
    is_device = all(
        isinstance(value, (Device, Text)) or (isinstance(value, Literal) and str(value.value).islower())
        for value in values
    )
    # What is called a device is one, wherever it comes from.
    return argument.text if (values and is_device) or "device" in argument.word.lower() else ""
