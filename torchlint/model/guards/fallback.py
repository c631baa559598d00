"""How a program names the device it uses, with the CPU if there is no other."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fallback:
    """The code for a device, in the quotes of a file; `torch` is the file's name for the package."""

    quote: str
    is_any_accelerator: bool = False
    """Whether to use any accelerator, not CUDA alone; `torch.accelerator` came with 2.6."""

    def device(self, torch: str) -> str:
        """Return an expression for the device, as an object."""
        if self.is_any_accelerator:
            return self._accelerated(torch, f"{torch}.accelerator.current_accelerator()", self._host(torch))
        return f"{torch}.device({self.name(torch)})"

    def name(self, torch: str) -> str:
        """Return an expression for the name of the device."""
        if self.is_any_accelerator:
            return self._accelerated(torch, f"{torch}.accelerator.current_accelerator().type", self.cpu)
        return self.conditional(torch, f"{self.quote}cuda{self.quote}")

    def conditional(self, torch: str, expression: str) -> str:
        """Return an expression that is another one if there is CUDA, and else the CPU."""
        return f"{expression} if {torch}.cuda.is_available() else {self.cpu}"

    def indexed(self, torch: str, index: str, *, as_object: bool) -> str:
        """Return an expression for the device of an index."""
        # A bare index is of the current accelerator.
        if self.is_any_accelerator:
            return self._accelerated(torch, f"{torch}.device({index})", self._host(torch))
        text = self.conditional(torch, f"f{self.quote}cuda:{{{index}}}{self.quote}")
        return f"{torch}.device({text})" if as_object else text

    @property
    def cpu(self) -> str:
        """Return the name of the CPU."""
        return f"{self.quote}cpu{self.quote}"

    def _host(self, torch: str) -> str:
        return f"{torch}.device({self.cpu})"

    def _accelerated(self, torch: str, there: str, host: str) -> str:
        return f"{there} if {torch}.accelerator.is_available() else {host}"
