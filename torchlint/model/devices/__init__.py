"""Where tensors and modules are, and what asks for a device."""
