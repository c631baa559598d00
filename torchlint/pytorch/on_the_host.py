"""What takes its arguments on the host alone, so that who has computed them on a GPU has to wait for a copy.

What writes files is not here: a picture of every step can be left out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HostArgument:
    """An argument that has to be on the host, of a function or of a method of an object of a class."""

    names: frozenset[str]
    source: str
    keyword: str = ""
    """The name of the parameter; empty for all arguments."""
    position: int = 0


def _row(names: str, source: str, keyword: str = "", position: int = 0) -> HostArgument:
    return HostArgument(frozenset(names.split()), source, keyword, position)


HOST_ARGUMENTS = (
    # "must be on the CPU if provided as a tensor", as of torch 2.13.
    _row(
        "torch.nn.utils.rnn.pack_padded_sequence",
        "https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html",
        "lengths",
        1,
    ),
    _row(
        "gym.Env.step gymnasium.Env.step gym.vector.SyncVectorEnv.step gym.vector.AsyncVectorEnv.step"
        " gymnasium.vector.SyncVectorEnv.step gymnasium.vector.AsyncVectorEnv.step",
        "https://gymnasium.farama.org/api/env/#gymnasium.Env.step",
    ),
    _row(
        "scipy.optimize.linear_sum_assignment scipy.optimize.linprog scipy.optimize.milp scipy.optimize.minimize",
        "https://docs.scipy.org/doc/scipy/dev/api-dev/array_api.html",
    ),
    _row("lap.lapjv", "https://github.com/gatagat/lap"),
    _row("ot.emd ot.emd2", "https://pythonot.github.io/gen_modules/ot.lp.html"),
    _row("cv2.imencode cv2.imdecode", "https://docs.opencv.org/4.x/d4/da8/group__imgcodecs.html"),
    _row("pesq.pesq pystoi.stoi", "https://github.com/ludlows/PESQ"),
)
HOST_PACKAGES = ("mpi4py.",)
"""All of what is in these: https://mpi4py.readthedocs.io/en/stable/tutorial.html, unless MPI is built for CUDA."""
ENVIRONMENT_MAKERS = {
    "gym.make": "gym.Env",
    "gymnasium.make": "gymnasium.Env",
    "gym.vector.make": "gym.Env",
    "gymnasium.make_vec": "gymnasium.Env",
}
"""Functions that make an environment, and the class that says what its methods take."""
