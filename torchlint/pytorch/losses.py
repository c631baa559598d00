"""The losses of PyTorch that are means over the batch. Checked on torch 2.13."""

from __future__ import annotations

_NAMES = (
    "BCELoss BCEWithLogitsLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss HingeEmbeddingLoss HuberLoss L1Loss"
    " MSELoss MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss PoissonNLLLoss"
    " SmoothL1Loss SoftMarginLoss TripletMarginLoss"
)
MEAN_LOSSES = frozenset(f"torch.nn.{name}" for name in _NAMES.split())
"""Classes whose objects compute a mean, unless they were made with another `reduction`."""
MEAN_LOSS_FUNCTIONS = frozenset(
    f"torch.nn.functional.{name}"
    for name in (
        "binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss cross_entropy gaussian_nll_loss"
        " hinge_embedding_loss huber_loss l1_loss margin_ranking_loss mse_loss multi_margin_loss"
        " multilabel_margin_loss multilabel_soft_margin_loss nll_loss poisson_nll_loss smooth_l1_loss soft_margin_loss"
        " triplet_margin_loss"
    ).split()
)
"""Functions that do, unless they are called with another `reduction`."""
MEANS = frozenset({"torch.mean", "torch.Tensor.mean"})
