"""Where tensors and modules live."""
