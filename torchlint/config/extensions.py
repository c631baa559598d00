"""Python files with other extensions."""

from __future__ import annotations

from torchlint.files.folders import SUFFIXES

LANGUAGES = ("python",)


def extension_mistake(name: str) -> str:
    """Return what is wrong with the extension of a file, empty if it is valid."""
    if name.startswith("."):
        return f"`{name}` is an extension with its dot: write `{name.lstrip('.')}`"
    if not name or any(sign in name for sign in "/\\*?:"):
        return f"`{name}` is no extension of files, such as `txt`"
    if f".{name}" in SUFFIXES:
        return f"`{name}` is linted anyway, as what it is"
    return ""
