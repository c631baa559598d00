"""The parameters of a `DataLoader`. Checked on torch 2.13."""

from __future__ import annotations

_PARAMETERS = (
    "dataset batch_size shuffle sampler batch_sampler num_workers collate_fn pin_memory drop_last timeout"
    " worker_init_fn multiprocessing_context generator"
).split()
LOADER_AT = {name: position for position, name in enumerate(_PARAMETERS)}
"""The positions of those that may be passed by position, in their order."""
SAMPLING = ("__getitem__", "__getitems__", "__iter__")
"""Methods of a dataset that its loader calls for samples: https://docs.pytorch.org/docs/stable/data.html."""
