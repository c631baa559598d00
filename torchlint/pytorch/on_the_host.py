"""What takes its arguments on the host alone, so that who has computed them on a GPU has to wait for a copy.

What writes files is not here: a picture of every step can be left out.
"""

from __future__ import annotations

from torchlint.pytorch.companions import COMPANIONS
from torchlint.pytorch.kinds import host_argument

HOST_ARGUMENTS = (
    # "must be on the CPU if provided as a tensor", as of torch 2.13.
    host_argument(
        "torch.nn.utils.rnn.pack_padded_sequence",
        "https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html",
        "lengths",
        1,
    ),
    *(row for companion in COMPANIONS for row in companion.host_arguments),
)
HOST_PACKAGES = tuple(f"{companion.name}." for companion in COMPANIONS if companion.host_package)
"""All of what is in these."""
ENVIRONMENT_MAKERS = {name: made for companion in COMPANIONS for name, made in companion.environments.items()}
"""Functions that make an environment, and the class that says what its methods take."""
