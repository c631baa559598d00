"""What has autograd search for operations whose gradients are NaN, which makes it slow. Checked on torch 2.13."""

from __future__ import annotations

SET_ANOMALY = "torch.autograd.set_detect_anomaly"
"""The function, which is a context as well."""
ANOMALY = "torch.autograd.detect_anomaly"
"""The context."""
