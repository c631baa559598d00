"""scikit-learn: its metrics are computed of arrays. Run on scikit-learn 1.9.1."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, array_arguments

_METRICS = (
    "accuracy_score adjusted_mutual_info_score adjusted_rand_score auc average_precision_score balanced_accuracy_score"
    " brier_score_loss classification_report cohen_kappa_score completeness_score confusion_matrix"
    " d2_absolute_error_score det_curve explained_variance_score f1_score fbeta_score fowlkes_mallows_score"
    " hamming_loss hinge_loss homogeneity_score jaccard_score label_ranking_average_precision_score log_loss"
    " matthews_corrcoef max_error mean_absolute_error mean_absolute_percentage_error mean_squared_error"
    " mean_squared_log_error median_absolute_error multilabel_confusion_matrix mutual_info_score ndcg_score"
    " normalized_mutual_info_score precision_recall_curve precision_recall_fscore_support precision_score r2_score"
    " recall_score roc_auc_score roc_curve root_mean_squared_error top_k_accuracy_score v_measure_score zero_one_loss"
)
# With `average` and `multioutput` others return an array, too.
_NUMBERS = (
    "accuracy_score adjusted_mutual_info_score adjusted_rand_score auc balanced_accuracy_score brier_score_loss"
    " cohen_kappa_score completeness_score fowlkes_mallows_score hamming_loss hinge_loss homogeneity_score"
    " label_ranking_average_precision_score log_loss matthews_corrcoef max_error mutual_info_score ndcg_score"
    " normalized_mutual_info_score top_k_accuracy_score v_measure_score zero_one_loss"
)

COMPANION = Companion(
    "sklearn",
    "scikit-learn 1.9.1",
    arrays=(
        array_arguments(
            "sklearn.metrics.", _METRICS, 2, "y_true y_pred y_score y_proba y_prob labels_true labels_pred y1 y2"
        ),
    ),
    numbers=frozenset(f"sklearn.metrics.{name}" for name in _NUMBERS.split()),
)
