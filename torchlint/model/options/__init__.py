"""The command line, the configuration and the environment: the values of options that are left to their defaults."""
