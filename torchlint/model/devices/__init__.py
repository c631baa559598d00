"""Where tensors and modules are, and which calls need a device."""
