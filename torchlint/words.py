"""Words, as bytes, that show what a file is about."""

from __future__ import annotations

# Code that uses PyTorch contains its name, or that of a package that imports PyTorch, somewhere in its project.
TORCH_WORDS = ("torch", "cuda", "ightning", "ccelerat", "ransformers", "iffusers", "fastai", "ultralytics")
# A project without any of these runs on the CPU alone.
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
# Without any of these, nothing makes a training step, and no framework calls one.
TRAINING_WORDS = ("backward(", ".step(", "def training_step(", "def compute_loss(", "ignite")
