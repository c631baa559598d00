"""Methods that run the backward pass, and what is around them. Checked on torch 2.13."""

from __future__ import annotations

from torchlint.pytorch.companions.lightning import MANUAL_BACKWARD

BACKWARD = ("backward", MANUAL_BACKWARD)
"""A tensor's own, which optimizers and engines have as well, and Lightning's, which calls it."""
TRAINING_STEP = ("backward", "step")
"""Methods that a step of training calls: a loss, or what goes back for it, has the first, an optimizer the second."""
DIFFERENTIATING = frozenset({*BACKWARD, "scale", "grad"})
"""Calls that are passed what is differentiated, or are its methods: `scaler.scale(loss)`, `torch.autograd.grad`."""
GRADIENTS = frozenset({*BACKWARD, "grad"})
"""Calls that compute gradients, and need a graph: the methods, and `torch.autograd.grad`."""
ON_THE_WAY = frozenset({"mean", "sum", "scale", "to", "float", "squeeze"})
"""Methods between a loss and `backward()`, which keep its graph: its mean, and what a scaler makes of it."""
RETAINING = ("retain_grad", "retains_grad")
"""The method by which a result keeps its gradient, and the attribute that tells whether it does."""
