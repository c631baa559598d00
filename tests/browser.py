"""A headless Chromium that opens pages from the disk, spoken to over pipes in its DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeAlias

Answer: TypeAlias = "Mapping[str, object]"
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --remote-debugging-pipe"
).split()


@dataclass
class Page:
    """An open tab; `complaints` is what the browser's console says, `requests` the addresses it asked for."""

    _orders: IO[bytes]
    _answers: IO[bytes]
    _session: str = ""
    _number: int = 0
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    _loaded: bool = False

    def attach(self) -> None:
        """Open a tab and listen to it."""
        target = self.order("Target.createTarget", url="about:blank")["targetId"]
        self._session = str(self.order("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.order(f"{domain}.enable")

    def open(self, page: Path | str, width: int, height: int = 900, *, dark: bool = False) -> None:
        """Open a file or an address in a window of so many CSS pixels, and wait until it is there."""
        self.order(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.order("Emulation.setEmulatedMedia", features=[scheme])
        self._loaded = False
        self.order("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        while not self._loaded:
            self._hear()

    def value(self, expression: str) -> object:
        """Return what a JavaScript expression is worth in the page."""
        result = self.order("Runtime.evaluate", expression=expression, returnByValue=True)["result"]
        assert isinstance(result, dict)
        return result.get("value")

    def screenshot(self, file: Path) -> None:
        """Write a picture of the whole page."""
        shot = self.order("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(str(shot["data"])))

    def printed(self) -> bytes:
        """Return the page as a PDF."""
        return base64.b64decode(str(self.order("Page.printToPDF", printBackground=True)["data"]))

    def order(self, method: str, **parameters: object) -> Answer:
        """Have the browser do something, and return its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._orders.write(json.dumps(message).encode() + b"\0")
        self._orders.flush()
        while True:
            heard = self._hear()
            if heard.get("id") == self._number:
                assert "error" not in heard, heard["error"]
                assert isinstance(heard["result"], dict)
                return heard["result"]

    def _hear(self) -> dict[str, object]:
        message = bytearray()
        while (character := self._answers.read(1)) not in {b"\0", b""}:
            message += character
        assert character, "the browser is gone"
        heard: dict[str, object] = json.loads(message)
        self._note(str(heard.get("method")), heard.get("params"))
        return heard

    def _note(self, event: str, about: object) -> None:
        self._loaded |= event == "Page.loadEventFired"
        if event in {"Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"}:
            self.complaints.append(json.dumps(about))
        if event == "Network.requestWillBeSent":
            assert isinstance(about, dict)
            self.requests.append(about["request"]["url"])


@contextmanager
def browsing(program: str, profile: Path) -> Iterator[Page]:
    """Start a Chromium of its own, with a new profile."""
    (their_input, orders), (answers, their_output) = os.pipe(), os.pipe()
    # Chromium reads orders from 3 and answers on 4; the shell puts them there.
    pipes = f"exec 3<&{their_input} 4>&{their_output}; "
    process = subprocess.Popen(
        ["bash", "-c", pipes + 'exec "$0" "$@"', program, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
        pass_fds=(their_input, their_output),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(their_input)
    os.close(their_output)
    with os.fdopen(orders, "wb") as writing, os.fdopen(answers, "rb") as reading:
        page = Page(writing, reading)
        try:
            page.attach()
            yield page
            page._session = ""
            page.order("Browser.close")
        finally:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
