"""What PyTorch had once and has no more, and who is prepared for that."""
