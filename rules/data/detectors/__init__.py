"""What finds the mistakes of the rules on data and loaders."""
