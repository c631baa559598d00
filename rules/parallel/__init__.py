"""More than one GPU: wrappers, replicas, ranks."""
