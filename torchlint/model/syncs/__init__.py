"""What makes the host wait for the GPU, and what piles up while nobody does."""
