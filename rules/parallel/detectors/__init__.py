"""What finds the mistakes of the rules on several processes and GPUs."""
