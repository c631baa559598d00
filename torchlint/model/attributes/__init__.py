"""What objects and classes have under a name."""
