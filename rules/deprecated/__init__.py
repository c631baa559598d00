"""What PyTorch no longer has, or soon will not."""
