"""Matplotlib: what draws numbers makes arrays of them. Run on matplotlib 3.11.2."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, array_arguments

_OF_ONE = (
    "boxplot contour contourf ecdf eventplot hist imshow magnitude_spectrum matshow pcolor pcolormesh pie psd"
    " specgram spy stairs violinplot"
)
_OF_TWO = (
    "bar barh errorbar fill fill_between fill_betweenx hexbin hist2d loglog plot quiver scatter semilogx semilogy"
    " stackplot stem step"
)

COMPANION = Companion(
    "matplotlib",
    "matplotlib 3.11.2",
    arrays=(
        array_arguments("matplotlib.pyplot.", _OF_ONE, 1),
        array_arguments("matplotlib.pyplot.", f"{_OF_TWO} imsave", 2),
    ),
)
