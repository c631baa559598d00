"""What finds the mistakes of the rules on training."""
