"""The distributions whose samples are on the device of their parameters."""

from __future__ import annotations

_SPACE = "torch.distributions."

DISTRIBUTIONS = frozenset(
    "Bernoulli Categorical Cauchy Chi2 ContinuousBernoulli Exponential FisherSnedecor Gamma"
    " Geometric Gumbel HalfCauchy HalfNormal Independent InverseGamma Kumaraswamy Laplace LogNormal"
    " LowRankMultivariateNormal Multinomial MultivariateNormal NegativeBinomial Normal OneHotCategorical"
    " OneHotCategoricalStraightThrough Pareto Poisson RelaxedBernoulli RelaxedOneHotCategorical StudentT Uniform"
    " Weibull".split()
)
"""Their last names; with numbers as parameters, the samples are on the default device; checked on torch 2.13.0."""


def is_distribution(name: str) -> bool:
    """Tell whether a full name is that of such a distribution: `torch.distributions.normal.Normal`."""
    return name.startswith(_SPACE) and name.rpartition(".")[2] in DISTRIBUTIONS
