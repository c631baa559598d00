"""What the findings of one loop have in common, whichever of these rules they are of."""

from __future__ import annotations

from torchlint import Cause

WAITS = Cause("makes the host wait for the GPU in every step", "in the loop", "read and log every N steps")
EVALUATION_WAITS = Cause(
    "makes the host wait for the GPU in every iteration",
    WAITS.within,
    "keep tensors and read them after the loop",
)
PERTURBATION_WAITS = Cause(WAITS.happens, WAITS.within, "read and log after the loop")
NEEDED = Cause(WAITS.happens, WAITS.within, "batch what needs them on the host")
MASKS = Cause("waits for the GPU in every step", "in the loop", "use `torch.where` or zero weights")
SYNCHRONIZATIONS = Cause("waits for all work on the GPU in every step", "in the loop", "remove them")
RELEASES = Cause("releases memory that the next step allocates again", "in the loop", "remove them")
