"""Facts about PyTorch and its companions, as data, independent of how code is analysed."""
