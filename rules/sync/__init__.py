"""What makes the host wait for the GPU."""
