"""What makes the host wait for the GPU, and what accumulates without a wait."""
