"""What the terminal can show, by its environment."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def wants_color(asked: bool | None) -> bool:
    """Tell whether to write in colour: by the option, NO_COLOR and FORCE_COLOR, or stdout."""
    if asked is not None:
        return asked
    if os.environ.get("NO_COLOR"):
        return False
    if any(os.environ.get(name, "0") not in {"", "0"} for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """Return the width of stdout, or None if it is no terminal, and nothing has to be cut."""
    if not is_terminal(sys.stdout):
        return None
    import shutil

    return shutil.get_terminal_size().columns


def follows_links() -> bool:
    """Tell whether stdout is a terminal that is known to open a file on this machine when it is clicked."""
    if not is_terminal(sys.stdout) or os.environ.get("CI") or os.environ.get("SSH_CONNECTION"):
        return False
    if os.environ.get("TERM_PROGRAM") in {"iTerm.app", "WezTerm", "ghostty", "vscode"}:
        return True
    vte = os.environ.get("VTE_VERSION", "")
    # VTE, the terminal of GNOME and others, has links since 0.50.
    return bool(os.environ.get("KITTY_WINDOW_ID")) or (vte.isdigit() and int(vte) >= 5000)


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a stream is open, and leads to a terminal."""
    return stream is not None and not stream.closed and stream.isatty()
