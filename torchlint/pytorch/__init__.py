"""What PyTorch and its companions are, as data: nothing here knows how code is read."""
