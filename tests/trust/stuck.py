"""A run whose workers never end: `python -m tests.trust.stuck FOLDER [spawn]`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tests.engine.projects import Fails, job_of
from torchlint.engine import lint
from torchlint.finding import Finding
from torchlint.model import SourceFile


class Endless(Fails):
    """Look at a file for ever."""

    words = ("torch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        """Say that it has begun, and go on."""
        os.write(sys.stdout.fileno(), b"begun\n")
        while True:
            sum(range(1000))
        yield from ()


if __name__ == "__main__":
    from tests.trust.stuck import Endless as Importable

    if "spawn" in sys.argv:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    # Who starts us may ignore it, as nohup does, and hands that on.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    lint([job_of(Path(sys.argv[1]), (Importable(),))], 2, print)
