"""The losses of PyTorch that are means over the batch. Checked on torch 2.13."""

from __future__ import annotations

from torchlint.pytorch.symbols import FUNCTIONAL, NN

_NAMES = (
    "BCELoss BCEWithLogitsLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss HingeEmbeddingLoss HuberLoss L1Loss"
    " MSELoss MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss PoissonNLLLoss"
    " SmoothL1Loss SoftMarginLoss TripletMarginLoss"
)
MEAN_LOSSES = frozenset(f"{NN}{name}" for name in _NAMES.split())
"""Classes whose objects compute a mean, unless they were made with another `reduction`."""
MEAN_LOSS_FUNCTIONS = frozenset(
    f"{FUNCTIONAL}{name}"
    for name in (
        "binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss cross_entropy gaussian_nll_loss"
        " hinge_embedding_loss huber_loss l1_loss margin_ranking_loss mse_loss multi_margin_loss"
        " multilabel_margin_loss multilabel_soft_margin_loss nll_loss poisson_nll_loss smooth_l1_loss soft_margin_loss"
        " triplet_margin_loss"
    ).split()
)
"""Functions that do, unless they are called with another `reduction`."""
MEANS = frozenset({"torch.mean", "torch.Tensor.mean"})
REDUCING = MEANS | {"torch.sum", "torch.Tensor.sum"}
"""Functions that return one number where they are given a tensor alone."""

# The positions of `size_average` and `reduce` in each loss.
_POSITIONS = {
    (2, 3): "F.kl_div F.l1_loss F.mse_loss F.multilabel_margin_loss F.smooth_l1_loss F.soft_margin_loss",
    (3, 4): "F.binary_cross_entropy F.binary_cross_entropy_with_logits F.hinge_embedding_loss"
    " F.multilabel_soft_margin_loss MultiMarginLoss",
    (4, 5): "F.cosine_embedding_loss F.margin_ranking_loss TripletMarginLoss",
    (3, 5): "F.cross_entropy F.nll_loss",
    (5, 6): "F.multi_margin_loss",
    (4, 6): "F.poisson_nll_loss",
    (7, 8): "F.triplet_margin_loss",
    (0, 1): "KLDivLoss L1Loss MSELoss MultiLabelMarginLoss SmoothL1Loss SoftMarginLoss",
    (1, 2): "BCELoss BCEWithLogitsLoss CosineEmbeddingLoss HingeEmbeddingLoss MarginRankingLoss"
    " MultiLabelSoftMarginLoss",
    (1, 3): "CrossEntropyLoss NLLLoss",
    (2, 4): "PoissonNLLLoss",
}
OLD_REDUCTION = {
    FUNCTIONAL + name.removeprefix("F.") if name.startswith("F.") else NN + name: positions
    for positions, names in _POSITIONS.items()
    for name in names.split()
}
"""The losses with `size_average` and `reduce`, and their positions."""
OLD_MEAN = "elementwise_mean"
"""What PyTorch 0.4.1 called the reduction `mean`; torch 2.13 still takes it, and warns."""
