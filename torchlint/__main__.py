"""`python -m torchlint`."""

from __future__ import annotations

import os
import sys

import torchlint


def _forget_where_we_are() -> None:
    """Have Python import nothing from the folder that it runs in, which `-m` puts before all else.

    What is linted lies there: a `random.py` of the user's would run in the place of Python's own.
    """
    here, ourselves = os.getcwd(), torchlint.__path__[0]  # noqa: PTH109 -- compared to what Python wrote
    if sys.path[:1] == [here] and os.path.dirname(ourselves) != here:  # noqa: PTH120
        del sys.path[0]


if __name__ == "__main__":
    _forget_where_we_are()

    from torchlint.cli import main

    main()
