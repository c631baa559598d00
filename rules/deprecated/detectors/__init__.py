"""What finds the mistakes of the rules on what PyTorch has no more, or warns of."""
