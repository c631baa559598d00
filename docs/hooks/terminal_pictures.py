"""The pictures of the terminal in the README: `python docs/hooks/terminal_pictures.py` draws them anew.

GitHub shows no colours in blocks of text, so what torchlint writes on a terminal is shown as a picture, light and dark.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

_ROOT = Path(__file__).parents[2]
_FOLDER = _ROOT / "docs" / "pictures"
_OPTIONS = ("--no-cache", "--color=always", "--quiet", "--select", "wrapped-state-dict", "fixtures/demo-project")
_COMMAND = (sys.executable, "-m", "torchlint", *_OPTIONS)
_SHOWN = "torchlint fixtures/demo-project"
# Of rich's own template, what loads no fonts from elsewhere and has neither a title nor buttons of a window.
_TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 WIDTH HEIGHT" role="img">
<title>What torchlint writes on a terminal</title>
<style>
.{unique_id}-matrix {{ font: {char_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }}
{styles}
</style>
<defs>{lines}</defs>
<rect width="100%" height="100%" rx="8" fill="BACKGROUND"/>
<g transform="translate(12 8)" class="{unique_id}-matrix">{matrix}</g>
</svg>
"""
# Of rich's pictures, in pixels.
_COLUMN, _ROW = 12.2, 24.4
_ANSI = {
    "light": ((255, 255, 255), (36, 41, 47), (207, 34, 46), (17, 99, 41), (5, 80, 174)),
    "dark": ((22, 27, 34), (201, 209, 217), (255, 123, 114), (126, 231, 135), (121, 192, 255)),
}
"""Of each picture: the background, the text, and what stands for red, green and blue."""


def _theme(name: str) -> TerminalTheme:
    background, text, red, green, blue = _ANSI[name]
    colors = [text, red, green, text, blue, text, text, text]
    return TerminalTheme(background, text, colors, colors)


def picture(name: str) -> str:
    """Return the picture, `light` or `dark`, of a finding in the demo project, as SVG."""
    text = Text.from_ansi(f"$ {_SHOWN}\n{_output()}".rstrip())
    width = max(len(line) for line in text.plain.splitlines())
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(text)
    theme = _theme(name)
    # Rich's own size is that of the text without the margins around it, and without its last line.
    size = {"WIDTH": width * _COLUMN + 24, "HEIGHT": len(text.plain.splitlines()) * _ROW + 24}
    template = _TEMPLATE.replace("BACKGROUND", _hex(theme.background_color))
    for word, pixels in size.items():
        template = template.replace(word, f"{pixels:.0f}")
    drawn = console.export_svg(theme=theme, code_format=template, unique_id="t")
    return re.sub(r"[ \t]+$", "", drawn, flags=re.MULTILINE)


def _hex(color: tuple[int, int, int]) -> str:
    return "#" + bytes(color).hex()


def _output() -> str:
    done = subprocess.run(_COMMAND, cwd=_ROOT, capture_output=True, text=True, check=False)  # noqa: S603 -- our own
    return re.sub(r"  # error: [a-z-]+", "", done.stdout)


def main() -> None:
    """Write both pictures."""
    _FOLDER.mkdir(exist_ok=True)
    for name in _ANSI:
        (_FOLDER / f"terminal-{name}.svg").write_text(picture(name), "utf-8")


if __name__ == "__main__":
    main()
