"""What PyTorch deprecates and removes, read from the sources of its releases."""
