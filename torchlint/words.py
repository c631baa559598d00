"""Words by which files say, as bytes, what they have to do with."""

from __future__ import annotations

# Code that uses PyTorch says so, or names what brings PyTorch along, somewhere in its project.
TORCH_WORDS = ("torch", "cuda", "ightning", "ccelerat", "ransformers", "iffusers", "fastai", "ultralytics")
# A project that says none of these runs on the CPU alone.
DEVICE_WORDS = (
    "cuda",
    ".to(",
    "device",
    "gpu",
    "ccelerat",
    "ightning",
    "Trainer",
    "abric",
    "deepspeed",
    "torch_xla",  # and not `plt.xlabel`
)
# Where none of these is said, nothing makes a training step, and no framework calls what does.
TRAINING_WORDS = ("backward(", ".step(", "def training_step(", "def compute_loss(", "ignite")
