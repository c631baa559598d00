"""A `backward()` past the library that has taken the module over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.bypassed_backwards import Bypass


class BypassedBackward(Rule):
    """Call `accelerator.backward(loss)`, not the `backward()` of the loss.

    `accelerator.prepare`, `deepspeed.initialize` and `fabric.setup` give back a module whose gradients they look after.
    Accelerate divides the loss by `gradient_accumulation_steps`, scales it under fp16, and hands it to the engine where
    DeepSpeed runs. `loss.backward()` does none of this: as soon as the program is launched with such a configuration,
    gradients are too large, underflow, or `step()` says that no inf checks were recorded.

    The engine of DeepSpeed reduces gradients over the ranks in `engine.backward(loss)`. Before 0.18.3 each rank steps
    with its own after `loss.backward()`, and they drift apart. Since then hooks reduce them under ZeRO stage 1 to 3,
    and `loss.backward()` raises under fp16 and under stage 0.

    Not reported:

    - losses that the program scales itself: `engine.scale(loss).backward()`, `scaler.scale(loss).backward()`
    - programs that choose between the two ways by a test
    - modules that may or may not have been prepared
    - programs that require DeepSpeed 0.19 or later

    https://huggingface.co/docs/accelerate/package_reference/accelerator#accelerate.Accelerator.backward
    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (".backward(",)
    project_words = ("accelerate", "deepspeed", "Fabric")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.bypassed_backwards import bypassed_backwards

        for found in file.share_of(bypassed_backwards):
            fix = _through(found)
            advice = f"call {quoted(fix)}" if fix else "call the `backward` of what took the module over"
            yield self.finding(
                found.call,
                f"{quoted(found.call)} {found.taken.row.effect}; {advice}",
                trace=(
                    found.taken.by.step("the module is taken over here"),
                    found.taken.call.step("the loss is computed by it here"),
                ),
                fix=Fix(
                    "Go back through who took the module over",
                    (found.call.edits.replace(fix),),
                    safe=False,
                    doubt="the loss is scaled then, and gradients are smaller where they are accumulated",
                )
                if fix
                else None,
            )


def _through(found: Bypass) -> str:
    """Return `accelerator.backward(loss)`, empty where the name of the accelerator is unknown there."""
    loss = found.call.owner
    if not found.owner or loss is None:
        return ""
    words = (f"{name}={value.code}" for name, value in found.call.keywords.items())
    return f"{found.owner}.backward({', '.join((loss.code, *words))})"
